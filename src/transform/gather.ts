import { closeSync, existsSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { MAX_LINE_BYTES } from '../record/lines.ts'
import { sum } from '../text/lists.ts'
import { MIB } from '../text/units.ts'
import { eachLine, eachSeenLine, shareAt } from './observations.ts'
import { damaged, type WrittenFile } from './work-file.ts'

/** Bytes of observations, about, that a worker gathers in one go. */
const GROUP_BYTES = 64 * MIB
/** Bytes of observations that are put in order at once: the longest line has room, with its end. */
const HELD_BYTES = MAX_LINE_BYTES + 1
/** A row of the table: where a share begins and ends, and the checksum of its bytes. */
const ROW_BYTES = 12
/** What checksums start from, so that no share has 0: a table that a disk lost is zeros, and is not taken for one. */
const CRC_START = 1
const LF = 0x0a

/**
 * A file with observations of many units in the order of their shares, so that a share is read without the others: so
 * many bytes of lines, and after them a table with a row for each share. It is no piece of the journal: each run
 * gathers anew.
 */
export interface GatheredFile {
  readonly file: string
  readonly bytes: number
}

export interface ShareOrder {
  readonly share: number
  readonly shares: number
  readonly gathered: readonly GatheredFile[]
}

/** Divides files of observations, in their order, into groups that are gathered each in one go. */
export function groupsOf(files: readonly WrittenFile[]): WrittenFile[][] {
  const groups: WrittenFile[][] = []
  let bytes = GROUP_BYTES
  for (const file of files) {
    if (bytes >= GROUP_BYTES) {
      groups.push([])
      bytes = 0
    }
    groups.at(-1)!.push(file)
    bytes += file.bytes
  }
  return groups
}

/**
 * Copies the observations in `files` to files in `folder` whose names begin with `name`, in the order of their shares. Within a
 * share they keep their order. Code `unavailable` if one of the files is not as it was written.
 */
export function gatherSeen(
  folder: string,
  name: string,
  files: readonly WrittenFile[],
  shares: number,
): GatheredFile[] {
  const total = sum(files, ({ bytes }) => bytes)
  const held = Buffer.allocUnsafeSlow(Math.min(total, HELD_BYTES))
  const ordered = Buffer.allocUnsafeSlow(held.length)
  const gathered: GatheredFile[] = []
  let bytes = 0
  const write = () => {
    const file = `${name}-${gathered.length}.gathered`
    const table = order(held.subarray(0, bytes), ordered, shares)
    writeFile(join(folder, file), ordered.subarray(0, bytes), table)
    gathered.push({ file, bytes })
    bytes = 0
  }
  for (const file of files) {
    eachSeenLine(folder, file, (line, start, end) => {
      if (bytes + end - start + 1 > held.length) write()
      bytes += line.copy(held, bytes, start, end)
      held[bytes++] = LF
    })
  }
  if (bytes > 0) write()
  return gathered
}

/** Copies lines to `ordered`, one share after the other, and returns the table. */
function order(lines: Buffer, ordered: Buffer, shares: number): Buffer {
  const sizes = new Uint32Array(shares)
  eachLine(lines, (start, end) => {
    sizes[shareAt(lines, start, shares)]! += end - start
  })
  // Where the next line of each share goes.
  const places = new Uint32Array(shares)
  for (let share = 1; share < shares; share++) places[share] = places[share - 1]! + sizes[share - 1]!
  eachLine(lines, (start, end) => {
    const share = shareAt(lines, start, shares)
    places[share]! += lines.copy(ordered, places[share]!, start, end)
  })
  const table = Buffer.alloc(shares * ROW_BYTES)
  for (const [share, end] of places.entries()) {
    const start = end - sizes[share]!
    const crc = crc32(ordered.subarray(start, end), CRC_START)
    for (const [cell, value] of [start, end, crc].entries()) {
      table.writeUInt32LE(value, share * ROW_BYTES + cell * 4)
    }
  }
  return table
}

function writeFile(path: string, ...parts: readonly Buffer[]): void {
  const fd = openSync(path, 'w')
  try {
    for (const part of parts) {
      for (let at = 0; at < part.length; ) at += writeSync(fd, part, at)
    }
  } finally {
    closeSync(fd)
  }
}

/** The lines of one share of a gathered file. Code `unavailable` if they are not as they were written. */
export function readShare(folder: string, { file, bytes }: GatheredFile, share: number): Buffer {
  const path = join(folder, file)
  if (!existsSync(path)) throw damaged(path)
  const fd = openSync(path, 'r')
  try {
    const row = Buffer.alloc(ROW_BYTES)
    readSync(fd, row, 0, row.length, bytes + share * ROW_BYTES)
    const [start, end, crc] = [0, 4, 8].map((at) => row.readUInt32LE(at)) as [number, number, number]
    if (start > end || end > bytes) throw damaged(path)
    const lines = Buffer.alloc(end - start)
    readSync(fd, lines, 0, lines.length, start)
    if (crc32(lines, CRC_START) !== crc) throw damaged(path)
    return lines
  } finally {
    closeSync(fd)
  }
}
