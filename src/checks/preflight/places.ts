import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
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
  const looking = places.map(async (place) => {
    if (!isS3(place.location)) return checkFolder(place)
    // A bucket whose address is wrong is a finding like the others.
    return checkBucket(place, tools).catch((error: unknown) => [
      say.error(`${place.what}: ${place.location} can't be opened`, becauseOf(error)),
    ])
  })
  return (await Promise.all(looking)).flat()
}

async function checkFolder({ what, location, use }: NamedPlace): Promise<Finding[]> {
  const name = `${what}: ${location}`
  if (use === 'reads') {
    if (!existsSync(location))
      return [say.error(`${name} is not there`, { remedy: 'check the path for a typing error' })]
    const wrong = await mayNot(location, constants.R_OK, `${name} can't be read`)
    return [wrong ?? say.ok(`${name} can be read`)]
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

/**
 * Tries in a bucket what a run will do there: list, write, read and remove, with one tiny object under a prefix of its own
 * (`<prefix>/posthaul-probe-…/probe`), which is removed again.
 */
async function checkBucket({ what, location, use, conditional }: NamedPlace, tools: Tools) {
  const { bucket, prefix, endpoint } = parseS3(location)
  const folder = `posthaul-probe-${randomUUID().slice(0, 8)}`
  const shown = s3Address({ bucket, prefix, endpoint: undefined }, '').replace(/\/$/, '')
  const address = s3Address({ bucket, prefix, endpoint }, folder)
  const hurried = { attempts: 2, quietMs: tools.patienceMs }
  const store = await openStore(address, { hurried, singleWriter: false })
  const wrong: Finding[] = []
  /** What came of it; `action` is what the right is called at AWS. */
  const attempt = async (doing: string, action: string, work: Promise<unknown>, also = '') => {
    try {
      await work
      return 'done'
    } catch (error) {
      const { remedy = 'run it again', ...because } = becauseOf(error)
      const isRight = error instanceof PosthaulError && error.code === 'auth'
      const mend = isRight ? `give these credentials the right ${action} there; or ${remedy}` : remedy
      wrong.push(say.error(`${what}: ${shown} can't be ${doing}`, { ...because, remedy: mend + also }))
      return isRight ? 'refused' : 'failed'
    }
  }
  const listed = await attempt('listed', 's3:ListBucket', store.list())
  // A bucket that can't be found or reached fails at everything.
  if (listed === 'failed') return wrong
  if (use === 'reads') return wrong.length > 0 ? wrong : [say.ok(`${what}: ${shown} can be listed`)]
  const written = await attempt('written to', 's3:PutObject', store.put(PROBE, CONTENT))
  if (written !== 'done') return wrong
  await attempt('read', 's3:GetObject', readBack(store))
  if (conditional) {
    const kept = await keepsApart(store)
    if (kept) wrong.push(say.error(`${what}: ${shown} can't keep two runs apart`, kept))
  }
  const left = `; ${folder}/${PROBE} is left over there`
  await attempt('removed from', 's3:DeleteObject', store.remove(PROBE), left)
  const all = `${what}: ${shown} can be listed, written, read and removed from`
  return wrong.length > 0 ? wrong : [say.ok(all)]
}

async function readBack(store: Store): Promise<void> {
  const found = await store.load(PROBE)
  if (found && CONTENT.equals(found.bytes)) return
  throw new PosthaulError('it reads back something other than what was written', { code: 'unavailable' })
}

/** Why a bucket does not refuse a write whose condition doesn't hold: that a file is absent, which is there. */
async function keepsApart(store: Store) {
  try {
    await store.put(PROBE, CONTENT, 'absent')
    return undefined
  } catch (error) {
    return error instanceof PosthaulError && error.code === 'mismatch' ? undefined : becauseOf(error)
  }
}

/** The folder itself if it is there; else the one above it in which it would be made. Undefined for a place in a file. */
async function nearestFolder(path: string): Promise<string | undefined> {
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined)
    if (found) return found.isDirectory() ? at : undefined
    if (at === dirname(at)) return undefined
  }
}
