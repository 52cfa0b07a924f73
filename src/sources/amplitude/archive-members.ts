import { ARCHIVE_CAPS, ArchiveBudget, ArchiveError, type ArchiveMember } from '../../inputs/archive.ts'
import { fileSource, readMember, zipMembers } from '../../inputs/zip.ts'
import { firstFew } from '../../text/words.ts'
import { gunzipped, LineTally, tallied } from '../line-tally.ts'
import { cutShort, VendorError } from '../vendor-client.ts'

/** How the vendor names a member today: `<project>_<day>_<hour>#<part>.json.gz`. */
const USUAL = /_\d{4}-\d{2}-\d{2}_\d{1,2}#\d+\.json\.gz$/
const GZIP = '\x1f\x8b'
const MOST_NAMES = 5

/**
 * The events in an archive, one JSON object on each line. No document promises the names of the members: one of another
 * name is read if JSON objects are in it, and the others are named by `note`. Throws an error with the fate `reject` if there are
 * members, and none of them can be read.
 */
export async function* eventsIn(
  path: string,
  vendor: string,
  note: (text: string) => void,
): AsyncGenerator<Buffer> {
  const named = { ...(await fileSource(path)), name: `${vendor}'s answer` }
  const budget = new ArchiveBudget(named, ARCHIVE_CAPS)
  const skipped: string[] = []
  try {
    const members = await zipMembers(named)
    for (const member of members) {
      const lines = await linesOf(member, budget.counted(readMember(named, member)), budget, vendor)
      // A member's last line may lack its line end: the next member's first line must not be joined to it.
      if (lines) yield* tallied(lines, new LineTally())
      else skipped.push(member.name)
    }
    if (skipped.length > 0) sayOf(skipped, members.length, vendor, note)
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    if (error.kind === 'damaged') throw cutShort(error.message, error)
    throw new VendorError(error.message, { code: 'input', fate: 'reject', cause: error })
  }
}

/** A member's lines; undefined for one that holds something else. */
async function linesOf(
  { name }: ArchiveMember,
  packed: AsyncIterable<Buffer>,
  budget: ArchiveBudget,
  vendor: string,
): Promise<AsyncIterable<Buffer> | undefined> {
  const begun = await beginning(packed, 2)
  const isPacked = USUAL.test(name) || begun.head.toString('latin1').startsWith(GZIP)
  const bytes = isPacked ? budget.counted(gunzipped(begun.all, vendor)) : begun.all
  if (USUAL.test(name)) return bytes
  const { head, all } = await beginning(bytes, 1)
  if (head.length === 0 || head[0] === 0x7b) return all
  await all.return(undefined)
  return undefined
}

/** The first bytes of a stream that are not blank, `least` of them if it has so many, and all of it. */
async function beginning(
  body: AsyncIterable<Buffer>,
  least: number,
): Promise<{ readonly head: Buffer; readonly all: AsyncGenerator<Buffer> }> {
  const chunks = body[Symbol.asyncIterator]()
  const read: Buffer[] = []
  let head = Buffer.alloc(0)
  let isOver = false
  while (head.length < least && !isOver) {
    const next = await chunks.next()
    isOver = next.done === true
    if (next.done) break
    read.push(next.value)
    head = Buffer.from(Buffer.concat([head, next.value]).toString('latin1').trimStart(), 'latin1')
  }
  async function* all() {
    try {
      yield* read
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    } finally {
      await chunks.return?.()
    }
  }
  return { head, all: all() }
}

function sayOf(skipped: readonly string[], members: number, vendor: string, note: (text: string) => void) {
  const names = firstFew(skipped, MOST_NAMES)
  if (skipped.length === members) {
    throw new VendorError(`${vendor}'s archive holds events in none of its ${members} members: ${names}`, {
      code: 'unavailable',
      fate: 'reject',
      hint: "the vendor's archives may have changed: keep one, and ask whoever maintains posthaul",
    })
  }
  note(`${skipped.length} of ${members} members of ${vendor}'s archive hold no events: ${names}`)
}
