import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { companies, groupsAnswer, noScope, notFound } from '../helpers/groups-answers.ts'
import { byDay } from '../helpers/kills.ts'
import { type OddServer, oddServer } from '../helpers/odd-server.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { FakeMixpanel, MIXPANEL_ENV } from '../helpers/vendors/mixpanel.ts'

const EVENT = '{"event":"A","distinct_id":"u","timestamp":"2024-03-01T00:00:00Z"}\n'
const DAY = { time: Date.UTC(2024, 2, 1), distinct_id: 'u', $insert_id: 'i' }

const WRITERS = ['export', 'transform', 'groups export'] as const
type Writer = (typeof WRITERS)[number]

const HELD: Readonly<Record<Writer, string>> = {
  export: 'holds the raw records that were exported from mixpanel',
  transform: 'holds the dataset that posthog made of',
  'groups export': 'holds the dataset of groups',
}

/** A place for datasets, and its files with their contents: on this disk, or in a bucket. */
interface Place {
  readonly out: string
  files(): Readonly<Record<string, string>>
  remove(name: string): void
}

let mixpanel: FakeMixpanel
let groups: OddServer
let bucket: S3Server
let folder: string

beforeAll(async () => {
  mixpanel = await new FakeMixpanel({ events: [{ event: 'A', properties: DAY }] }).start()
  groups = await oddServer((asked, url) =>
    asked.path.endsWith('/query/')
      ? noScope('query:read')
      : (groupsAnswer(companies(2), asked, url) ?? notFound('API endpoint not found.')),
  )
  bucket = await new S3Server().start()
  return async () => {
    groups.close()
    await Promise.all([mixpanel.close(), bucket.close()])
  }
})

function localPlace(): Place {
  const out = join(folder, 'out')
  const files = () =>
    readdirSync(out, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(join(out, name)).isFile())
      .sort()
      .map((name) => [name, readFileSync(join(out, name), 'latin1')])
  return { out, files: () => Object.fromEntries(files()), remove: (name) => rmSync(join(out, name)) }
}

let prefixes = 0
function bucketPlace(): Place {
  const prefix = `p${prefixes++}`
  const inside = () => [...bucket.objects].filter(([key]) => key.startsWith(`bucket/${prefix}/`))
  return {
    out: `s3://bucket/${prefix}`,
    files: () => Object.fromEntries(inside().map(([key, object]) => [key, JSON.stringify(object)])),
    remove: (name) => void bucket.objects.delete(`bucket/${prefix}/${name}`),
  }
}

const PLACES = { 'a folder': localPlace, 'a bucket': bucketPlace }

function write(writer: Writer, { out }: Place) {
  const words: Readonly<Record<Writer, readonly string[]>> = {
    export: ['export', 'mixpanel', '--from', '2024-03-01', '--to', '2024-03-02', '--base-url', mixpanel.url],
    transform: ['transform', '--preset', 'posthog', '--gzip', '--in', join(folder, 'in.ndjson')],
    'groups export': ['groups', 'export', '--type', '0', '--gzip'],
  }
  const env = {
    ...bucket.env,
    TMPDIR: folder,
    ...MIXPANEL_ENV,
    POSTHOG_HOST: groups.url,
    POSTHOG_PERSONAL_API_KEY: 'phx_test',
    POSTHOG_PROJECT_ID: '1',
  }
  return runHosted([...words[writer], '--out', out], env, folder)
}

function begin(kind: keyof typeof PLACES): Place {
  folder = testFolder()
  writeFileSync(join(folder, 'in.ndjson'), EVENT)
  return PLACES[kind]()
}

describe.each(Object.keys(PLACES) as (keyof typeof PLACES)[])('%s', (kind) => {
  test.each(byDay(WRITERS, kind === 'a bucket' ? 3 : 1))(
    'what %s wrote, or had not finished, is replaced by no other',
    async (held) => {
      const place = begin(kind)
      await exits(0, write(held, place))
      const others = WRITERS.filter((writer) => writer !== held)
      const refused = async () => {
        const before = place.files()
        const said = []
        for (const writer of others) {
          const { stderr } = await exits(2, write(writer, place))
          expect(place.files()).toEqual(before)
          said.push(unfolded(stderr))
        }
        return said
      }
      for (const said of await refused()) {
        expect(said).toContain(HELD[held])
        expect(said).toContain('it would be replaced')
      }
      // The same kind goes over itself, as ever.
      await exits(0, write(held, place))
      place.remove('manifest.json')
      await refused()
    },
  )
})
