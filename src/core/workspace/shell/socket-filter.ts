/** A filter of system calls (seccomp) without Unix sockets, through which a command would reach other programs. */
import { constants } from 'node:os';

/** Instructions of the classic Berkeley Packet Filter, as Linux reads them. */
const LOAD = 0x20;
const AND = 0x54;
const JUMP_IF_EQUAL = 0x15;
const JUMP_IF_AT_LEAST = 0x35;
const RETURN = 0x06;

/** Offsets in the data of a system call: its number, the architecture, and the low halves of its arguments. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const FIRST_ARGUMENT = 16;
const SECOND_ARGUMENT = 24;

const ALLOW = 0x7fff0000;
const failWith = (errno: number): number => 0x00050000 + errno;
const NOT_SUPPORTED = failWith(constants.errno.EAFNOSUPPORT);
const NO_SUCH_CALL = failWith(constants.errno.ENOSYS);

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
/** Without the flags of a socket type. */
const TYPE_MASK = 0xf;
const IO_URING_SETUP = 425;
/** System calls of x86-64 with 32-bit pointers begin here. */
const X32_CALLS = 0x40000000;

const ARCHITECTURES: Readonly<Record<string, { id: number; socket: number; socketpair: number; firstOther: number }>> =
  {
    x64: { id: 0xc000003e, socket: 41, socketpair: 53, firstOther: X32_CALLS },
    arm64: { id: 0xc00000b7, socket: 198, socketpair: 199, firstOther: X32_CALLS },
  };

/**
 * Composes a filter in which these calls fail: `socket` of Unix, `socketpair` with datagrams, io_uring, and all calls of
 * other architectures. Both sockets of such a pair can send to any socket, and no filter sees the calls of io_uring. Returns
 * null for a machine without a filter.
 */
export function composeSocketFilter(arch: string = process.arch): Buffer | null {
  const calls = ARCHITECTURES[arch];
  if (!calls) return null;
  // Jumps are counted from the next instruction.
  return assemble([
    [LOAD, 0, 0, ARCHITECTURE],
    [JUMP_IF_EQUAL, 1, 0, calls.id],
    [RETURN, 0, 0, NO_SUCH_CALL],
    [LOAD, 0, 0, NUMBER],
    [JUMP_IF_AT_LEAST, 9, 0, calls.firstOther],
    [JUMP_IF_EQUAL, 8, 0, IO_URING_SETUP],
    [JUMP_IF_EQUAL, 2, 0, calls.socket],
    [JUMP_IF_EQUAL, 3, 0, calls.socketpair],
    [RETURN, 0, 0, ALLOW],
    [LOAD, 0, 0, FIRST_ARGUMENT],
    [JUMP_IF_EQUAL, 4, 5, AF_UNIX],
    [LOAD, 0, 0, SECOND_ARGUMENT],
    [AND, 0, 0, TYPE_MASK],
    [JUMP_IF_EQUAL, 1, 2, SOCK_DGRAM],
    [RETURN, 0, 0, NO_SUCH_CALL],
    [RETURN, 0, 0, NOT_SUPPORTED],
    [RETURN, 0, 0, ALLOW],
  ]);
}

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

function assemble(instructions: readonly Instruction[]): Buffer {
  const bytes = Buffer.alloc(8 * instructions.length);
  for (const [index, [code, ifTrue, ifFalse, value]] of instructions.entries()) {
    bytes.writeUInt16LE(code, 8 * index);
    bytes.writeUInt8(ifTrue, 8 * index + 2);
    bytes.writeUInt8(ifFalse, 8 * index + 3);
    bytes.writeUInt32LE(value, 8 * index + 4);
  }
  return bytes;
}
