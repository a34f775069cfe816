"""What of get_llama_cpp can be checked without a network and a compiler."""

import importlib.machinery
import importlib.util
import io
import pathlib
import tarfile
import tempfile
import unittest
from unittest import mock

PATH = str(pathlib.Path(__file__).resolve().parent / "get_llama_cpp")
LOADER = importlib.machinery.SourceFileLoader("get_llama_cpp", PATH)
tool = importlib.util.module_from_spec(importlib.util.spec_from_loader("get_llama_cpp", LOADER))
with mock.patch("sys.dont_write_bytecode", True):
    LOADER.exec_module(tool)


class GetLlamaCppTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.enterContext(mock.patch.object(tool, "say", lambda text: None))

    def archive(self, *members):
        path = self.folder / tool.ARCHIVE
        with tarfile.open(path, "w:gz") as tar:
            for member in members:
                info = tarfile.TarInfo(f"{tool.ARCHIVE.removesuffix('.tar.gz')}/{member}")
                info.size = 1
                tar.addfile(info, io.BytesIO(b"x"))
        return path

    def test_an_archive_that_is_not_the_published_one_is_refused(self):
        path = self.archive("README.md")
        with self.assertRaisesRegex(tool.BuildError, "not the archive"):
            tool.download(self.folder)
        tool.check_archive(path, tool.sha256_of(path))

    def test_unpack_needs_the_sources_of_llama_bench_and_is_done_once(self):
        with self.assertRaisesRegex(tool.BuildError, "no tools/llama-bench"):
            tool.unpack(self.archive("vendor/llama.cpp/CMakeLists.txt"), self.folder)
        (self.folder / "source").rename(self.folder / "old")
        found = tool.unpack(self.archive("vendor/llama.cpp/tools/llama-bench/main.cpp"), self.folder)
        self.assertTrue((found / "tools" / "llama-bench" / "main.cpp").exists())
        self.assertEqual(tool.unpack(self.folder / "not read", self.folder), found)

    def test_an_archive_cannot_write_elsewhere(self):
        with self.assertRaisesRegex(tool.BuildError, "outside"):
            tool.unpack(self.archive("../../escaped"), self.folder)

    def test_commit_from_the_changelog(self):
        self.assertEqual(tool.source_commit("- feat: update llama.cpp to ggml-org/llama.cpp@0c1e57098\n"), "0c1e57098")
        self.assertEqual(tool.source_commit("nothing"), "unknown")

    def test_instruction_sets(self):
        self.assertIn("-DGGML_AVX512_VNNI=OFF", tool.ISA_FLAGS["avx2"])
        self.assertIn("-DGGML_AMX_INT8=OFF", tool.ISA_FLAGS["avx512"])
        self.assertEqual(tool.ISA_FLAGS["native"], ("-DGGML_NATIVE=ON",))

    def test_stores_before_a_tile_configuration_are_kept_where_gcc_would_drop_them(self):
        gcc, clang, amx = "Copyright (C) 2022 Free Software Foundation, Inc.", "clang version 19", ["avx2", "amx_int8"]
        self.assertEqual(len(tool.workaround_flags("native", amx, gcc)), 1)
        for arguments in (("native", amx, clang), ("native", ["avx2"], gcc), ("avx512", amx, gcc)):
            self.assertEqual(tool.workaround_flags(*arguments), [])

    def test_missing_tools_are_named(self):
        with mock.patch("shutil.which", return_value=None), self.assertRaisesRegex(tool.BuildError, "apt install"):
            tool.get(self.folder, "native", 1)


if __name__ == "__main__":
    unittest.main()
