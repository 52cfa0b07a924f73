import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { prepare } from '../../src/transform/prepare.ts'
import { testFolder } from '../helpers/folder.ts'

const RECORD = '{"event":"e","properties":{"time":1700000000,"distinct_id":"u"}}\n'

/** A folder with raw data, and below it the events that a first run left. */
function afterFirstRun(): string {
  const folder = testFolder()
  mkdirSync(join(folder, 'events'))
  writeFileSync(join(folder, 'raw.ndjson'), RECORD)
  writeFileSync(join(folder, 'events', '2023-11-14.ndjson'), RECORD)
  return folder
}

const inputsOf = async (paths: readonly string[], out: string) => {
  const options = { gzip: false, dryRun: false, with: [] }
  const { job } = await prepare({ preset: 'mixpanel', in: paths, out, ...options })
  return job.inputs.map(({ name }) => name)
}

test('a folder for the events in the folder of the inputs is refused, also by way of a link', async () => {
  const folder = afterFirstRun()
  const link = join(testFolder(), 'link')
  symlinkSync(folder, link)
  for (const [from, out] of [
    [folder, join(folder, 'events/')],
    [folder, join(folder, 'new', 'events')],
    [`${folder}/`, folder],
    [link, join(folder, 'events')],
    [folder, join(link, 'new')],
    ['s3://bucket/raw/', 's3://bucket/raw/events/'],
  ] as const) {
    const refused = {
      code: 'usage',
      message: expect.stringContaining('the folder of the inputs'),
      hint: expect.any(String),
    }
    await expect(inputsOf([from], out), out).rejects.toMatchObject(refused)
  }
  expect(await inputsOf([join(folder, 'raw.ndjson')], join(folder, 'events'))).toEqual(['raw.ndjson'])
  mkdirSync(`${folder}-2`)
  expect(await inputsOf([folder], `${folder}-2`)).toHaveLength(2)
})

test('events that a pattern fits are no inputs when the command is run again', async () => {
  const folder = afterFirstRun()
  expect(await inputsOf([`${folder}/**/*.ndjson`], join(folder, 'events'))).toEqual(['raw.ndjson'])
})

test('they are when they are named', async () => {
  const folder = afterFirstRun()
  const events = join(folder, 'events')
  expect(await inputsOf([join(events, '2023-11-14.ndjson')], events)).toEqual(['2023-11-14.ndjson'])
  expect(await inputsOf([events], join(folder, 'other'))).toEqual(['2023-11-14.ndjson'])
})

test('a pattern that fits nothing but events has no inputs', async () => {
  const folder = afterFirstRun()
  const paths = [`${folder}/e*/*.ndjson`]
  await expect(inputsOf(paths, join(folder, 'events'))).rejects.toMatchObject({ code: 'input' })
})
