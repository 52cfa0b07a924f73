import { expect, test } from 'vitest'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { firstOf as firstOfFiles } from './first-of.ts'

const firstOf = (name: string, content: string) => firstOfFiles({ [name]: content })

const lines = (records: readonly object[]) => records.map((one) => `${JSON.stringify(one)}\n`).join('')

test('extended JSON of MongoDB: the value below its type is taken', async () => {
  const record = (at: number) => ({
    _id: { $oid: `65e1a1a0000000000000000${at}` },
    event: 'buy',
    userId: { $numberLong: `1234567890${at}` },
    at: { $date: `2024-03-01T10:00:0${at}.000Z` },
  })
  const { yaml, trial } = await firstOf('x.ndjson', lines([record(0), record(1)]))
  expect(parseMapping(yaml, 'm').mapping.fields).toMatchObject({
    timestamp: ['at.$date'],
    distinct_id: ['userId.$numberLong'],
  })
  expect(trial).toMatchObject({ events: 2, rejected: 0 })
})

test("DynamoDB's JSON: a name is the one before the type", async () => {
  const items = [1, 2].map((at) => ({
    Item: { event: { S: 'open' }, uid: { S: `u${at}` }, ts: { N: `170928720${at}` }, size: { N: '3' } },
  }))
  const { yaml, trial } = await firstOf('x.json', lines(items))
  expect(parseMapping(yaml, 'm').mapping.fields).toMatchObject({
    event: ['Item.event.S'],
    distinct_id: ['Item.uid.S'],
    timestamp: ['Item.ts.N'],
  })
  expect(trial).toMatchObject({ events: 2 })
})

const GA4 = 'event_timestamp,event_name,user_pseudo_id'

test.each([
  [
    'taken apart',
    `${GA4},event_params_key,event_params_value\n1709287200123456,page_view,1.1,page_title,Home\n1709287200123456,page_view,1.1,ga_session_id,1\n`,
    /2 of 2 records \(100%\) are rejected/,
  ],
  [
    'taken apart, with dots',
    `${GA4},event_params.key,event_params.value\n1709287200123456,page_view,1.1,page_title,Home\n1709287200123456,page_view,1.1,ga_session_id,1\n`,
    /2 of 2 records \(100%\) are rejected/,
  ],
])('parameters of GA4 that are %s are said', async (_, content, words) => {
  const { asked, preset } = await firstOf('x.csv', content)
  expect(preset).toBe('ga4')
  expect(asked).toMatch(words)
})

test('of two columns of a group the id is its key, and the other is asked about', async () => {
  const rows = [1, 2, 3, 4].map(
    (at) => `open,u${at},2024-03-01T10:00:0${at}Z,${at < 3 ? 'Acme,c1' : 'Globex,c2'}\n`,
  )
  const { yaml, asked, findings } = await firstOf(
    'x.csv',
    `event,user_id,at,company_name,company_id\n${rows.join('')}`,
  )
  expect(parseMapping(yaml, 'm').mapping.groups).toEqual({ company: 'company_id' })
  expect(asked).toContain('or is it company_name, as "Acme"?')
  expect(findings.find(({ name }) => name === 'company_name')?.role).toBeNull()
})
