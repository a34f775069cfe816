# Sourced by the shell scripts of this project: one place for paths and messages.
#
# Debian's own tools come first, so that a compiler, Python or Rust installed elsewhere on this machine changes nothing.
export PATH="/usr/sbin:/usr/bin:/sbin:/bin:$PATH"
export LC_ALL=C.UTF-8
unset CDPATH RUSTC CARGO RUSTUP_TOOLCHAIN PYTHONHOME PYTHONPATH

TRIBAR_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$'\e[1m' red=$'\e[31m' plain=$'\e[0m'
else
  bold='' red='' plain=''
fi

# step TEXT: what happens next.
step() { printf '%s==> %s%s\n' "$bold" "$*" "$plain"; }

# die TEXT: says what is wrong and what to do, and ends.
die() {
  printf '%s%s: %s%s\n' "$red" "$(basename "$0")" "$*" "$plain" >&2
  exit 1
}

# jobs: how many compilers to run at once: one a processor, but each wants up to 1.5 GiB of memory.
jobs() {
  local processors memory_kib
  processors=$(nproc)
  memory_kib=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null)
  local by_memory=$(( ${memory_kib:-99999999} / 1572864 ))
  [ "$by_memory" -ge 1 ] || by_memory=1
  echo $(( processors < by_memory ? processors : by_memory ))
}
