import { randomBytes } from 'node:crypto'
import { PosthaulError } from '../../errors.ts'
import { number, plural } from '../../text/words.ts'
import { type Job, unitOrder } from '../job.ts'
import type { DoPieces, Task } from '../task.ts'
import { type ForgetList, readForgetList } from './forget-list.ts'
import { digestOf, IdSet, type SoughtIds } from './id-set.ts'
import { linksName, readLinks, type StoredLink } from './witness.ts'

/** The ids in a job's list. Code `input` if it is not the list that the job was made with. */
export async function listedIds({ path, sha256 }: ForgetList, salt: string): Promise<IdSet> {
  const ids = new IdSet()
  const found = await readForgetList(path, (forms) => {
    for (const id of forms) ids.add(digestOf(salt, id))
  })
  if (found.sha256 === sha256) return ids
  throw new PosthaulError(`${path} was changed while it was read`, {
    code: 'input',
    hint: 'let nothing write to it, then run the same command again',
  })
}

/**
 * Finds all ids of the people whom a job's list names: reads the whole input once for what it says of ids. The job it
 * returns leaves their records out. `folder` is for hashes of links: 48 bytes for each pair of ids in a unit. `absent` is
 * given the error of a list all of whose ids must be found, and are not.
 */
export async function findForgotten(
  doPieces: DoPieces,
  job: Job,
  folder: string,
  absent: (error: PosthaulError) => void,
): Promise<Job> {
  const { forget } = job
  if (forget === undefined) return job
  const salt = randomBytes(16).toString('hex')
  const listed = await listedIds(forget, salt)
  const sought = forget.all ? { salt, cells: listed.cells, found: listed.marks() } : undefined
  const tasks = job.units.map(
    (_, unit): Task => ({ type: 'links', folder, salt, sought, ...unitOrder(job, unit) }),
  )
  await doPieces(tasks)
  if (sought) {
    const error = await notFound(forget, sought)
    if (error) absent(error)
  }
  function* links() {
    for (const unit of job.units.keys()) yield* readLinks(folder, linksName(unit))
  }
  return { ...job, forgotten: { salt, cells: everyIdOf(listed, links).cells } }
}

const MOST_LINES = 10

/** What is wrong with a list of which each id must be found; undefined where all were. No id is said, only its line. */
async function notFound(
  { path, ids }: ForgetList,
  { salt, cells, found }: SoughtIds,
): Promise<PosthaulError | undefined> {
  const listed = new IdSet(cells, found)
  const lines: number[] = []
  let count = 0
  await readForgetList(path, (forms, line) => {
    if (forms.some((id) => listed.isFound(digestOf(salt, id)))) return
    count++
    if (lines.length < MOST_LINES && lines.at(-1) !== line) lines.push(line)
  })
  if (count === 0) return undefined
  const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}`
  const rest = lines.length === MOST_LINES ? ' and perhaps more' : ''
  return new PosthaulError(
    `${number(count)} of ${plural(ids, 'id')} in ${path} match nobody in these records: ${where}${rest}`,
    {
      code: 'config',
      hint: 'compare them with the ids of the records, letter by letter; or take them out of the list, or all: true out of forget:. Nothing was written',
    },
  )
}

/** The user that an anonymous id belongs to: the one it was first seen with. */
interface First {
  user: Uint32Array
  instant: number
  seq: number
}

/**
 * Everyone whom `listed` ids name, in all ids of theirs. A person is what the service would make one of this history: an
 * anonymous id and its first user, an id and its aliases. Besides, each anonymous id that a forgotten user was seen with is
 * forgotten, though its first user may stay: its own records may be of either. `links` reads all of them anew each
 * time. Memory grows with the ids that are forgotten, not with the links.
 */
export function everyIdOf(listed: IdSet, links: () => Iterable<StoredLink>): IdSet {
  for (;;) {
    const [size, firsts] = [listed.size, nextTo(listed, links)]
    for (const link of links()) noteFirst(firsts, link)
    for (const [name, first] of firsts) {
      const anonymous = wordsOf(name)
      if (listed.has(anonymous)) listed.add(first!.user)
      else if (listed.has(first!.user)) listed.add(anonymous)
    }
    if (listed.size > size) continue
    for (const name of firsts.keys()) listed.add(wordsOf(name))
    return listed
  }
}

/** The anonymous ids that are forgotten, or were seen with a user who is. Takes both ends of firm links in. */
function nextTo(forgotten: IdSet, links: () => Iterable<StoredLink>): Map<string, First | undefined> {
  const found = new Map<string, First | undefined>()
  for (const { words, at, seq } of links()) {
    const [from, to] = [forgotten.has(words, at), forgotten.has(words, at + 4)]
    if (!from && !to) continue
    if (seq >= 0) found.set(nameOf(words, at), undefined)
    else if (!from) forgotten.add(words, at)
    else if (!to) forgotten.add(words, at + 4)
  }
  return found
}

function noteFirst(firsts: Map<string, First | undefined>, { words, at, instant, seq }: StoredLink): void {
  if (seq < 0) return
  const name = nameOf(words, at)
  if (!firsts.has(name)) return
  const known = firsts.get(name)
  if (known && (known.instant < instant || (known.instant === instant && known.seq <= seq))) return
  firsts.set(name, { user: words.slice(at + 4, at + 8), instant, seq })
}

function nameOf(words: Uint32Array, at: number): string {
  return Buffer.from(words.buffer, words.byteOffset + at * 4, 16).toString('latin1')
}

function wordsOf(name: string): Uint32Array {
  return new Uint32Array(new Uint8Array(Buffer.from(name, 'latin1')).buffer)
}
