import { hash } from 'node:crypto'
import { openStore } from '../../store/open.ts'
import type { KnownLink } from '../links.ts'
import { eachHash, hashOfSeen, type Observation, seenLine } from '../observations.ts'
import { LineFile, type WrittenFile } from '../work-file.ts'
import type { EarlierDataset } from './earlier.ts'

/** The name of the file of observations that it makes. */
const CARRIED = 'carried.seen'
/** The place of what an earlier dataset has said already: before any record of the same time. */
const SAID = -1
/** Bits of a hash that are told apart: 2 MiB say which ids a window has. */
const BITS = 24
const MASK = 2 ** BITS - 1

/** What an earlier dataset has said, as if it had been seen: of a group, the digest of its properties. */
export function isSaid({ seq }: Observation): boolean {
  return seq === SAID
}

/** A digest of a group's properties, which are compared and nothing else. */
export function stateOf(json: string): string {
  return hash('sha256', json, 'base64url').slice(0, 22)
}

/**
 * Writes down, in the work folder, what earlier datasets have said of the anonymous ids and groups in `seen`, the files of
 * this window's observations. There may be millions that this window doesn't have: those are passed over.
 */
export async function carryLinks(
  earlier: readonly EarlierDataset[],
  seen: readonly WrittenFile[],
  folder: string,
): Promise<WrittenFile> {
  const wanted = new Uint8Array(2 ** (BITS - 3))
  for (const file of seen) {
    eachHash(folder, file, (one) => {
      wanted[(one & MASK) >> 3]! |= 1 << (one & 7)
    })
  }
  const { readLinks } = await import('../links.ts')
  const carried = new LineFile(folder, CARRIED)
  try {
    for (const { location, links } of earlier) {
      await readLinks(await openStore(location), links, (link) => {
        const one = saidOf(link)
        const found = hashOfSeen(one)
        if ((wanted[(found & MASK) >> 3]! >> (found & 7)) & 1) carried.write(seenLine(one))
      })
    }
  } finally {
    carried.close()
  }
  return carried.written
}

function saidOf(link: KnownLink): Observation {
  const { at: instant } = link
  if ('anonymous' in link) {
    return { kind: 'link', anonymous: link.anonymous, user: link.user, instant, seq: SAID }
  }
  return { kind: 'group', type: link.type, key: link.key, json: link.state, instant, seq: SAID }
}
