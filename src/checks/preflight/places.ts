import { randomUUID } from 'node:crypto'
import { access, constants, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import { errnoOf } from '../../store/file-error.ts'
import { openStore } from '../../store/open.ts'
import { isS3, parseS3, s3Address } from '../../store/s3-location.ts'
import type { Store } from '../../store/store.ts'
import { becauseOf, type Finding, findingsOf } from '../finding.ts'
import type { NamedPlace, Subject, Tools } from './subject.ts'

const say = findingsOf('store')

/** Whether every place can be read, or written to. */
export async function checkPlaces({ places }: Subject, tools: Tools): Promise<Finding[]> {
  const found = await Promise.all(
    places.map((place) => (isS3(place.location) ? bucket(place, tools) : folder(place))),
  )
  return found.flat()
}

/** A bucket whose address is wrong is a finding like the others. */
async function bucket(place: NamedPlace, tools: Tools): Promise<Finding[]> {
  try {
    return await checkBucket(place, tools)
  } catch (error) {
    return [say.error(`${place.what}: ${place.location} can't be opened`, becauseOf(error))]
  }
}

async function folder({ what, location, use }: NamedPlace): Promise<Finding[]> {
  const name = `${what}: ${location}`
  if (use === 'reads') {
    const isThere = await stat(location).then(
      () => true,
      () => false,
    )
    if (!isThere) return [say.error(`${name} is not there`, { remedy: 'check the path for a typing error' })]
    return [
      (await mayNot(location, constants.R_OK, `${name} can't be read`)) ?? say.ok(`${name} can be read`),
    ]
  }
  const at = await nearestFolder(location)
  if (at === undefined) {
    const cause = 'it, or a part of its path, is a file'
    return [say.error(`${name} is no folder`, { cause, remedy: 'name another folder' })]
  }
  const wrong = await mayNot(at, constants.W_OK | constants.X_OK, `${name} can't be written to`)
  return [wrong ?? say.ok(`${name} can be written to`)]
}

const WHY: Readonly<Record<string, string>> = {
  EACCES: 'this user has no right to it',
  EROFS: 'its disk is read-only',
}

async function mayNot(path: string, mode: number, text: string): Promise<Finding | undefined> {
  try {
    await access(path, mode)
    return undefined
  } catch (error) {
    const code = errnoOf(error) ?? ''
    const remedy = 'give this user the right, or name another place'
    return say.error(text, { cause: `${path}: ${WHY[code] ?? code}`, remedy })
  }
}

const PROBE = 'probe'
const CONTENT = Buffer.from('posthaul looks whether it may write here\n')

/** A right in a bucket: what it is called at AWS, and how it is tried. */
interface Right {
  readonly doing: string
  readonly action: string
  readonly attempt: (store: Store) => Promise<unknown>
}

const LIST: Right = { doing: 'listed', action: 's3:ListBucket', attempt: (store) => store.list() }
const WRITE: Right = {
  doing: 'written to',
  action: 's3:PutObject',
  attempt: (store) => store.put(PROBE, CONTENT),
}
const READ: Right = {
  doing: 'read',
  action: 's3:GetObject',
  async attempt(store) {
    const found = await store.load(PROBE)
    if (found && CONTENT.equals(found.bytes)) return
    throw new PosthaulError('it reads back something other than what was written', { code: 'unavailable' })
  },
}
const REMOVE: Right = {
  doing: 'removed from',
  action: 's3:DeleteObject',
  attempt: (store) => store.remove(PROBE),
}

/**
 * Tries in a bucket what a run will do there: list, write, read and remove, with one tiny object under a prefix of its own
 * (`<prefix>/posthaul-probe-…/probe`), which is removed again.
 */
async function checkBucket(place: NamedPlace, tools: Tools): Promise<Finding[]> {
  const { bucket, prefix, endpoint } = parseS3(place.location)
  const folder = `posthaul-probe-${randomUUID().slice(0, 8)}`
  const shown = s3Address({ bucket, prefix, endpoint: undefined }, '').replace(/\/$/, '')
  const address = s3Address({ bucket, prefix, endpoint }, folder)
  const hurried = { attempts: 2, quietMs: tools.patienceMs }
  const store = await openStore(address, { hurried, singleWriter: false })
  const attempt = async (right: Right): Promise<Lack | undefined> => {
    try {
      await right.attempt(store)
      return undefined
    } catch (error) {
      return lackOf(place, shown, right, error)
    }
  }
  const listed = await attempt(LIST)
  // A bucket that can't be found or reached fails at everything.
  if (listed && !listed.isRight) return [listed.finding]
  if (place.use === 'reads') return [listed?.finding ?? say.ok(`${place.what}: ${shown} can be listed`)]
  const written = await attempt(WRITE)
  if (written) return findingsIn([listed, written])
  const read = await attempt(READ)
  const conditional = await conditions(place, shown, store)
  const left = await attempt(REMOVE)
  const wrong = [...findingsIn([listed, read]), ...(conditional ? [conditional] : [])]
  if (left) {
    const { remedy } = left.finding
    wrong.push({ ...left.finding, remedy: `${remedy}; ${folder}/${PROBE} is left over there` })
  }
  if (wrong.length > 0) return wrong
  return [say.ok(`${place.what}: ${shown} can be listed, written, read and removed from`)]
}

/** Whether the bucket refuses a write whose condition doesn't hold: that a file is absent, which is there. */
async function conditions(place: NamedPlace, shown: string, store: Store): Promise<Finding | undefined> {
  if (!place.conditional) return undefined
  try {
    await store.put(PROBE, CONTENT, 'absent')
    return undefined
  } catch (error) {
    if (error instanceof PosthaulError && error.code === 'mismatch') return undefined
    return say.error(`${place.what}: ${shown} can't keep two runs apart`, becauseOf(error))
  }
}

/** What could not be done, and whether it is a matter of rights. */
interface Lack {
  readonly finding: Finding
  readonly isRight: boolean
}

function lackOf({ what }: NamedPlace, shown: string, { doing, action }: Right, error: unknown): Lack {
  const { remedy = 'run it again', ...because } = becauseOf(error)
  const isRight = error instanceof PosthaulError && error.code === 'auth'
  const finding = say.error(`${what}: ${shown} can't be ${doing}`, {
    ...because,
    remedy: isRight ? `give these credentials the right ${action} there; or ${remedy}` : remedy,
  })
  return { finding, isRight }
}

function findingsIn(lacks: readonly (Lack | undefined)[]): Finding[] {
  return lacks.flatMap((lack) => (lack ? [lack.finding] : []))
}

/** The folder itself if it is there; else the one above it in which it would be made. Undefined for a place in a file. */
export async function nearestFolder(path: string): Promise<string | undefined> {
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined)
    if (found) return found.isDirectory() ? at : undefined
    if (at === dirname(at)) return undefined
  }
}
