import { access, constants, stat } from 'node:fs/promises'
import { errnoOf } from '../../store/file-error.ts'
import { isS3 } from '../../store/s3-location.ts'
import { becauseOf, type Finding, findingsOf } from '../finding.ts'
import { checkBucket } from './bucket-rights.ts'
import { nearestFolder } from './nearest-folder.ts'
import type { NamedPlace, Subject } from './subject.ts'
import type { Tools } from './tools.ts'

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
