import { open } from 'node:fs/promises'

// How the files of a checkpoint are named and known; checkpoint.ts says what they hold.

/** How every checkpoint begins, whatever its version. No other file of posthaul does. */
export const OPENING = /^\{\s*"version": ?\d+,\s*"tool": ?"posthaul /
export const OPENING_BYTES = 64

/** The path of the generation before the newest. */
export function previousOf(path: string): string {
  return `${path}.previous`
}

/** Where the next generation is written, before it becomes the newest. */
export function draftOf(path: string): string {
  return `${path}.tmp`
}

/** True for a file that begins as every checkpoint does, whatever its name and whether it is whole. */
export async function isCheckpoint(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(OPENING_BYTES), 0, OPENING_BYTES, 0)
    return OPENING.test(buffer.toString('latin1', 0, bytesRead))
  } finally {
    await file.close()
  }
}
