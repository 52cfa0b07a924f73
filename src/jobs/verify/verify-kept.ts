import { rm } from 'node:fs/promises'
import {
  chunksOf,
  eventIn,
  isJsonObject,
  jsonEqual,
  type KeptReport,
  propertiesOf,
  type VerifyInput,
} from '../../checks/index.ts'
import type { PersonWriteValues } from '../../record/index.ts'
import { type Api, personsOf } from '../../service/index.ts'
import { SortedLines, scratchFolder } from '../../store/index.ts'
import { PERSONS_FOLDER, personService } from '../import/import-persons.ts'

const AT_ONCE = 500

/** Compares the persons that an import put right with what it gave them last. Undefined if it put none right. */
export async function verifyKept(
  api: Api,
  projectId: string,
  inputs: readonly VerifyInput[],
): Promise<KeptReport | undefined> {
  const own = inputs.filter(({ isOwn }) => isOwn)
  if (own.length === 0) return undefined
  const service = personService(api, projectId)
  const folder = await scratchFolder(PERSONS_FOLDER)
  const given = new SortedLines(folder, 'given')
  let [persons, equal] = [0, 0]
  try {
    for (const input of own)
      await input.read(
        new Set(input.sums.days.keys()),
        (line) => note(given, line),
        async () => undefined,
      )
    for (const some of chunksOf(given.groups(), AT_ONCE)) {
      const asked = some.map(([distinctId]) => distinctId)
      const ids = await personsOf(api, projectId, asked)
      const there = await propertiesOf(service, [...new Set(ids.values())])
      for (const [distinctId, texts] of some) {
        const person = there.get(ids.get(distinctId) ?? '')
        const values = Object.entries(texts.reduce<PersonWriteValues>(written, {}))
        persons++
        if (person && values.every(([name, value]) => jsonEqual(value, person[name]))) equal++
      }
    }
  } finally {
    given.remove()
    await rm(folder, { recursive: true, force: true })
  }
  return persons === 0 ? undefined : { persons, equal }
}

/** What one event gives a person. */
interface Given {
  readonly set: PersonWriteValues
  readonly once: PersonWriteValues
}

function note(given: SortedLines, line: Buffer): void {
  const sent = eventIn(line.toString('utf8'))
  if (sent?.event !== '$set') return
  const { $set, $set_once } = sent.properties
  given.add(
    sent.distinct_id,
    JSON.stringify({ set: objectOf($set), once: objectOf($set_once) } satisfies Given),
  )
}

/** What a person has after one more event. An import of a file that grows puts a person right again. */
function written(before: PersonWriteValues, text: string): PersonWriteValues {
  const { set, once } = JSON.parse(text) as Given
  return { ...once, ...before, ...set }
}

function objectOf(value: unknown): PersonWriteValues {
  return isJsonObject(value) ? value : {}
}
