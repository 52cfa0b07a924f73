import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { makeZip } from '../../helpers/zip.ts'
import { jsonRecords } from './source-leaves.ts'
import type { Stranger } from './stranger.ts'

const two = (n: number) => String(n).padStart(2, '0')
const linesOf = (count: number, record: (i: number) => object) =>
  Array.from({ length: count }, (_, i) => `${JSON.stringify(record(i))}\n`).join('')

const statsigEvent = (i: number) => ({
  eventName: 'report_opened',
  user: { userID: `user-${i}`, custom: { plan: `plan ${i}` } },
  userID: `user-${i}`,
  timestamp: String(Date.UTC(2022, 0, 1 + i)),
  value: `value ${i}`,
  metadata: { tab: `tab-${i}` },
  timeUUID: `6a3f1d20-2000-11ef-9a4b-0242ac1201${two(i)}`,
})
const statsigRows = linesOf(12, statsigEvent)
const statsigBodies = `${JSON.stringify({ data: [20, 21, 22].map(statsigEvent) })}\n${JSON.stringify({ data: [30, 31].map(statsigEvent) })}\n`

const param = (key: string, value: object) => ({ key, value })
const ga4Text = linesOf(12, (i) => ({
  event_date: `202202${two(i + 1)}`,
  event_timestamp: String(Date.UTC(2022, 1, i + 1) * 1000 + 137),
  event_name: 'level_up',
  event_params: [param('level', { int_value: String(40 + i) }), param('hero', { string_value: `hero ${i}` })],
  user_pseudo_id: `${1_290_871_300 + i}.1645000000`,
  user_properties: [
    param('guild', { string_value: `guild ${i}`, set_timestamp_micros: String(1_643_000_000_000_000 + i) }),
    param('gems', { int_value: String(7000 + i), set_timestamp_micros: String(1_643_100_000_000_000 + i) }),
  ],
  stream_id: '3456789012',
  platform: 'ANDROID',
}))

const amplitude = (i: number, month: number) => ({
  event_type: 'Article Read',
  event_time: `2022-${two(month)}-${two(i + 1)} 07:12:44.120000`,
  user_id: `reader-${i}`,
  device_id: `device-${month}-${i}`,
  amplitude_id: 605_122_334_000 + i,
  uuid: `5d0f8f6a-07a1-11ef-9d2b-0242ac13${two(month)}${two(i)}`,
  event_properties: { section: `section ${i}`, words: 900 + i },
  user_properties: { tier: `tier ${i}` },
})
const archive = [
  linesOf(5, (i) => amplitude(i, 3)),
  linesOf(5, (i) => amplitude(i + 5, 3)),
  linesOf(5, (i) => amplitude(i + 10, 3)),
]

const joinedText = linesOf(6, (i) => ({ ...amplitude(i, 4), ...(i % 2 === 0 && { user_id: null }) }))
const MERGES = `AMPLITUDE_ID,MERGE_EVENT_TIME,MERGE_SERVER_TIME,MERGED_AMPLITUDE_ID\n605122334000,2022-04-20 18:52:00.000000,2022-04-20 18:52:03.311000,605122334001\n`

const rudderText = linesOf(10, (i) => ({
  ID: `rud-${i}`,
  ANONYMOUS_ID: `browser-${i}`,
  USER_ID: `member-${i}`,
  EVENT: 'basket_filled',
  EVENT_TEXT: 'Basket Filled',
  TIMESTAMP: `2022-05-${two(i + 1)} 06:00:00.000`,
  RECEIVED_AT: `2022-05-${two(i + 1)} 06:00:01.000`,
  BASKET_NAME: `basket ${i}`,
  CONTEXT_LOCALE: `de-${two(i)}`,
}))

const mparticleText = linesOf(6, (i) => ({
  mpid: `70000000000000000${i}`,
  batch_id: 800_000_000 + i,
  user_attributes: { club: `club ${i}` },
  events: [1, 2].map((n) => ({
    event_type: 'custom_event',
    data: {
      event_name: 'Song Played',
      event_id: 1_000_000_000 + 10 * i + n,
      timestamp_unixtime_ms: String(Date.UTC(2022, 5, i + 1, n)),
      custom_attributes: { song: `song ${i}-${n}` },
    },
  })),
}))

function fileOf(name: string, bytes: string | Buffer): Stranger['write'] {
  return (folder) => {
    const path = join(folder, name)
    writeFileSync(path, bytes)
    return [path]
  }
}

/** Vendors' files, in forms that are not in the vendors' examples. */
export const VENDORS: readonly Stranger[] = [
  {
    about: "Statsig's rows with timeUUID",
    write: fileOf('statsig.ndjson', statsigRows),
    records: jsonRecords(statsigRows),
    key: 'timeUUID',
  },
  {
    about: "Statsig's webhook bodies",
    write: fileOf('bodies.ndjson', statsigBodies),
    records: jsonRecords([20, 21, 22, 30, 31].map((i) => JSON.stringify(statsigEvent(i))).join('\n')),
    key: 'timeUUID',
  },
  {
    about: "Firebase's user properties with their times",
    write: fileOf('events_20220201.ndjson', ga4Text),
    records: jsonRecords(ga4Text),
    key: 'user_pseudo_id',
  },
  {
    about: "Amplitude's archive, with members of other names",
    write: fileOf(
      'amplitude.zip',
      makeZip([
        { name: 'export.json.gz', data: gzipSync(archive[0]!) },
        { name: 'x.json.gz', data: gzipSync(archive[1]!) },
        { name: '501234/501234_2022-03-11.json.gz', data: gzipSync(archive[2]!) },
      ]),
    ),
    records: jsonRecords(archive.join('')),
    key: 'uuid',
  },
  {
    about: "Amplitude's rows joined with merged ids",
    write(folder) {
      writeFileSync(join(folder, 'merges.csv'), MERGES)
      return fileOf('joined.ndjson', joinedText)(folder)
    },
    args: (folder) => ['--join', `merge_ids=${join(folder, 'merges.csv')}`],
    records: jsonRecords(joinedText),
    key: 'uuid',
  },
  {
    about: "RudderStack's rows in Snowflake's capitals",
    write: fileOf('BASKET_FILLED.ndjson', rudderText),
    records: jsonRecords(rudderText),
    key: 'BASKET_NAME',
    alias: { ID: 'messageId', EVENT: 'event_slug' },
  },
  {
    about: 'lists that hold events',
    write: fileOf('batches.ndjson', mparticleText),
    records: jsonRecords(mparticleText),
    key: 'batch_id',
  },
]
