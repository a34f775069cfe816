// request_amx_permission: asks Linux for the tile registers of AMX, which a process does not have until it asks.
//
//   if (cpu_features().amx_int8 && request_amx_permission()) ...tile instructions may run on every thread...
//
// True when the processor has tiles and the kernel grants their 8 KiB of register state (Linux 5.16 and newer). Without
// the grant the first tile instruction ends the process with SIGILL. The grant holds for the whole process, its threads
// of now and later, and what it forks; an exec drops it. Asked once, remembered.
// Threads: any. Errors: whatever goes wrong counts as no permission.
// Source: Linux Documentation/arch/x86/xstate.rst.
#pragma once

namespace tribar {

bool request_amx_permission();

}  // namespace tribar
