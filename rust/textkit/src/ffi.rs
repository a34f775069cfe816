//! The C ABI, declared in `src/text/textkit.h`. Every function catches panics; none keeps a pointer that it was given.
//!
//! Safety, for all functions: pointers with a length describe readable memory (a null pointer means empty), `out` pointers are
//! writable, handles come from this library and are not used after being freed. Handles may be shared between threads.

use std::panic::{catch_unwind, AssertUnwindSafe};
use std::slice;

use crate::error::{Code, Error, Result};
use crate::template::{Rendered, Template};
use crate::tokenizer::{from_gguf, from_json, GgufVocab, Span, Special, Tokenizer};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct TkBytes {
    data: *const u8,
    size: usize,
}

/// Strings written one behind the other; `ends[i]` is where string i ends.
#[repr(C)]
pub struct TkStrings {
    bytes: TkBytes,
    ends: *const usize,
    count: usize,
}

/// Memory of this library, to be given back to `tk_buffer_free`.
#[repr(C)]
pub struct TkBuffer {
    data: *mut u8,
    size: usize,
    capacity: usize,
}

#[repr(C)]
pub struct TkIds {
    data: *mut u32,
    size: usize,
    capacity: usize,
}

#[repr(C)]
pub struct TkSpans {
    data: *mut Span,
    size: usize,
    capacity: usize,
}

#[repr(C)]
pub struct TkGguf {
    model: TkBytes,
    pre: TkBytes,
    architecture: TkBytes,
    tokens: TkStrings,
    merges: TkStrings,
    scores: *const f32,
    scores_count: usize,
    token_types: *const i32,
    token_types_count: usize,
    precompiled_charsmap: TkBytes,
    /// Negative: absent.
    unknown_id: i64,
    /// 0 false, 1 true, negative: absent.
    add_space_prefix: i32,
    remove_extra_whitespaces: i32,
    escape_whitespaces: i32,
}

#[repr(C)]
pub struct TkToken {
    text: TkBytes,
    bytes: TkBytes,
    kind: u8,
}

#[repr(C)]
pub struct TkTraits {
    size: usize,
    prefix: *const u32,
    prefix_count: usize,
    suffix: *const u32,
    suffix_count: usize,
    strips_leading_space: u8,
}

unsafe fn slice_of<'a, T>(data: *const T, size: usize) -> &'a [T] {
    if data.is_null() || size == 0 {
        &[]
    } else {
        // SAFETY: the caller says that `data` has `size` elements.
        unsafe { slice::from_raw_parts(data, size) }
    }
}

unsafe fn text_of<'a>(bytes: TkBytes) -> Result<&'a str> {
    // SAFETY: as slice_of.
    let bytes = unsafe { slice_of(bytes.data, bytes.size) };
    std::str::from_utf8(bytes).map_err(|_| Error::new(Code::InvalidArgument, "text is not valid UTF-8"))
}

/// Names and tokens of damaged files may hold anything.
unsafe fn lossy(bytes: TkBytes) -> String {
    // SAFETY: as slice_of.
    String::from_utf8_lossy(unsafe { slice_of(bytes.data, bytes.size) }).into_owned()
}

unsafe fn strings_of(strings: &TkStrings) -> Vec<String> {
    // SAFETY: as slice_of.
    let (bytes, ends) =
        unsafe { (slice_of(strings.bytes.data, strings.bytes.size), slice_of(strings.ends, strings.count)) };
    let mut begin = 0;
    let cut = |&end: &usize| {
        let piece = bytes.get(begin..end).unwrap_or_default();
        begin = end;
        String::from_utf8_lossy(piece).into_owned()
    };
    ends.iter().map(cut).collect()
}

fn flag(value: i32) -> Option<bool> {
    (value >= 0).then_some(value != 0)
}

fn bytes_of(data: &[u8]) -> TkBytes {
    TkBytes { data: data.as_ptr(), size: data.len() }
}

/// Takes a vector apart; `free` puts it together again.
fn into_parts<T>(vector: Vec<T>) -> (*mut T, usize, usize) {
    let mut vector = std::mem::ManuallyDrop::new(vector);
    (vector.as_mut_ptr(), vector.len(), vector.capacity())
}

unsafe fn free<T>(data: *mut T, size: usize, capacity: usize) {
    if !data.is_null() {
        // SAFETY: the three values come from `into_parts`.
        drop(unsafe { Vec::from_raw_parts(data, size, capacity) });
    }
}

fn buffer(text: String) -> TkBuffer {
    let (data, size, capacity) = into_parts(text.into_bytes());
    TkBuffer { data, size, capacity }
}

/// Runs `body`; a failure, or a panic, becomes a code and a message in `error`.
unsafe fn guard(error: *mut TkBuffer, body: impl FnOnce() -> Result<()>) -> i32 {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<&str>().map(|s| s.to_string());
        let said = said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Error::new(Code::Internal, format!("internal error: {}", crate::error::one_line(said))))
    });
    match result {
        Ok(()) => 0,
        Err(e) => {
            if !error.is_null() {
                // SAFETY: `error` is writable.
                unsafe { error.write(buffer(e.message)) };
            }
            e.code as i32
        }
    }
}

/// # Safety
/// See the module.
#[no_mangle]
pub unsafe extern "C" fn tk_tokenizer_from_gguf(
    vocab: *const TkGguf,
    out: *mut *mut Tokenizer,
    error: *mut TkBuffer,
) -> i32 {
    // SAFETY: see the module.
    unsafe {
        guard(error, || {
            let v = &*vocab;
            let tokenizer = from_gguf(GgufVocab {
                model: lossy(v.model),
                pre: lossy(v.pre),
                architecture: lossy(v.architecture),
                tokens: strings_of(&v.tokens),
                merges: strings_of(&v.merges),
                scores: slice_of(v.scores, v.scores_count).to_vec(),
                token_types: slice_of(v.token_types, v.token_types_count).to_vec(),
                precompiled_charsmap: slice_of(v.precompiled_charsmap.data, v.precompiled_charsmap.size).to_vec(),
                unknown_id: (v.unknown_id >= 0).then_some(v.unknown_id),
                add_space_prefix: flag(v.add_space_prefix),
                remove_extra_whitespaces: flag(v.remove_extra_whitespaces),
                escape_whitespaces: flag(v.escape_whitespaces),
            })?;
            out.write(Box::into_raw(Box::new(tokenizer)));
            Ok(())
        })
    }
}

/// # Safety
/// See the module.
#[no_mangle]
pub unsafe extern "C" fn tk_tokenizer_from_json(json: TkBytes, out: *mut *mut Tokenizer, error: *mut TkBuffer) -> i32 {
    // SAFETY: see the module.
    unsafe {
        guard(error, || {
            let tokenizer = from_json(slice_of(json.data, json.size))?;
            out.write(Box::into_raw(Box::new(tokenizer)));
            Ok(())
        })
    }
}

/// # Safety
/// See the module.
#[no_mangle]
pub unsafe extern "C" fn tk_tokenizer_free(tokenizer: *mut Tokenizer) {
    if !tokenizer.is_null() {
        // SAFETY: see the module.
        let tokenizer = unsafe { Box::from_raw(tokenizer) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(tokenizer)));
    }
}

/// # Safety
/// See the module. What `out` points to lives as long as the tokenizer.
#[no_mangle]
pub unsafe extern "C" fn tk_tokenizer_traits(tokenizer: *const Tokenizer, out: *mut TkTraits) {
    // SAFETY: see the module.
    unsafe {
        let t = &*tokenizer;
        out.write(TkTraits {
            size: t.table.len(),
            prefix: t.prefix.as_ptr(),
            prefix_count: t.prefix.len(),
            suffix: t.suffix.as_ptr(),
            suffix_count: t.suffix.len(),
            strips_leading_space: u8::from(t.strips_leading_space),
        });
    }
}

/// # Safety
/// See the module. What `out` points to lives as long as the tokenizer.
#[no_mangle]
pub unsafe extern "C" fn tk_tokenizer_token(tokenizer: *const Tokenizer, id: u32, out: *mut TkToken) {
    // SAFETY: see the module.
    unsafe {
        let table = &(*tokenizer).table;
        out.write(TkToken {
            text: bytes_of(table.text(id).as_bytes()),
            bytes: bytes_of(table.bytes(id)),
            kind: table.kind(id) as u8,
        });
    }
}

/// The id of the token with exactly this text, -1 if there is none.
///
/// # Safety
/// See the module.
#[no_mangle]
pub unsafe extern "C" fn tk_tokenizer_find(tokenizer: *const Tokenizer, text: TkBytes) -> i64 {
    // SAFETY: see the module.
    unsafe { text_of(text).ok().and_then(|text| (*tokenizer).table.find(text)).map_or(-1, i64::from) }
}

/// Control tokens are parsed if `parse_special`, except where their spelling touches one of the spans.
///
/// # Safety
/// See the module.
#[no_mangle]
pub unsafe extern "C" fn tk_tokenizer_encode(
    tokenizer: *const Tokenizer,
    text: TkBytes,
    parse_special: i32,
    user_text: *const Span,
    user_text_count: usize,
    out: *mut TkIds,
    error: *mut TkBuffer,
) -> i32 {
    // SAFETY: see the module.
    unsafe {
        guard(error, || {
            let spans = slice_of(user_text, user_text_count);
            let special = if parse_special != 0 { Special::ParseOutside(spans) } else { Special::Ignore };
            let (data, size, capacity) = into_parts((*tokenizer).encode(text_of(text)?, special)?);
            out.write(TkIds { data, size, capacity });
            Ok(())
        })
    }
}

/// # Safety
/// See the module.
#[no_mangle]
pub unsafe extern "C" fn tk_template_compile(source: TkBytes, out: *mut *mut Template, error: *mut TkBuffer) -> i32 {
    // SAFETY: see the module.
    unsafe {
        guard(error, || {
            let template = Template::compile(text_of(source)?)?;
            out.write(Box::into_raw(Box::new(template)));
            Ok(())
        })
    }
}

/// # Safety
/// See the module.
#[no_mangle]
pub unsafe extern "C" fn tk_template_free(template: *mut Template) {
    if !template.is_null() {
        // SAFETY: see the module.
        let template = unsafe { Box::from_raw(template) };
        let _ = catch_unwind(AssertUnwindSafe(|| drop(template)));
    }
}

/// `now` is "2026-01-02T03:04:05".
///
/// # Safety
/// See the module.
#[no_mangle]
pub unsafe extern "C" fn tk_template_render(
    template: *const Template,
    variables_json: TkBytes,
    now: TkBytes,
    out: *mut TkBuffer,
    error: *mut TkBuffer,
) -> i32 {
    // SAFETY: see the module.
    unsafe {
        guard(error, || {
            let text = (*template).render(text_of(variables_json)?, text_of(now)?)?;
            out.write(buffer(text));
            Ok(())
        })
    }
}

/// As `tk_template_render`, and says which parts of the text stem from the variables.
///
/// # Safety
/// See the module.
#[no_mangle]
pub unsafe extern "C" fn tk_template_render_tracked(
    template: *const Template,
    tokenizer: *const Tokenizer,
    variables_json: TkBytes,
    now: TkBytes,
    out: *mut TkBuffer,
    user_text: *mut TkSpans,
    error: *mut TkBuffer,
) -> i32 {
    // SAFETY: see the module.
    unsafe {
        guard(error, || {
            let spellings: Vec<&str> = (*tokenizer).control_spellings().collect();
            let Rendered { text, user_text: spans } =
                (*template).render_tracked(text_of(variables_json)?, text_of(now)?, &spellings)?;
            out.write(buffer(text));
            let (data, size, capacity) = into_parts(spans);
            user_text.write(TkSpans { data, size, capacity });
            Ok(())
        })
    }
}

/// # Safety
/// See the module.
#[no_mangle]
pub unsafe extern "C" fn tk_buffer_free(buffer: TkBuffer) {
    // SAFETY: see the module.
    unsafe { free(buffer.data, buffer.size, buffer.capacity) }
}

/// # Safety
/// See the module.
#[no_mangle]
pub unsafe extern "C" fn tk_ids_free(ids: TkIds) {
    // SAFETY: see the module.
    unsafe { free(ids.data, ids.size, ids.capacity) }
}

/// # Safety
/// See the module.
#[no_mangle]
pub unsafe extern "C" fn tk_spans_free(spans: TkSpans) {
    // SAFETY: see the module.
    unsafe { free(spans.data, spans.size, spans.capacity) }
}
