import { type TestPart, writeDataset } from './dataset.ts'
import { makeEvent } from './events.ts'

export type Days = Readonly<Record<string, Readonly<Record<string, number>>>>

/** Writes a dataset of so many events a day and name, and returns its folder. */
export async function countedDataset(
  folder: string,
  days: Days,
  properties: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  let n = 0
  const parts = Object.entries(days).map(([day, names]): TestPart => {
    const events = Object.entries(names).flatMap(([event, count]) =>
      Array.from({ length: count }, () => {
        const one = makeEvent(n++)
        return { ...one, event, timestamp: day + one.timestamp.slice(10), properties }
      }),
    )
    return { file: `${day}.ndjson`, events }
  })
  await writeDataset(folder, parts)
  return folder
}
