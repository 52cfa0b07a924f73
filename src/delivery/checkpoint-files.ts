import { open } from 'node:fs/promises'

/** How every checkpoint begins, whatever its version. No other file of posthaul does. */
export const OPENING = /^\{\s*"version": ?\d+,\s*"tool": ?"posthaul /
export const OPENING_BYTES = 64

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
