import { expect, test } from 'vitest'
import { parseMigration } from '../../../src/jobs/run/migration-file.ts'
import { stepsOf } from '../../../src/jobs/run/stages.ts'

const window = { name: '2024-03-02_2024-03-03', own: { start: 0, end: 1 }, fetch: { start: 0, end: 1 } }
const file = (compare: string) => `
source: { mixpanel: { from: 2024-03-01, to: 2024-04-01, region: eu, project_id: 42 } }
mapping: { file: mapping.yaml }
store: data/
target: { region: eu, project_id: 7 }
${compare}`
const compareOf = (text: string, earlier: readonly string[] = []) =>
  stepsOf(parseMigration(file(text), 'migration.yaml', {}), window, earlier, (path) => `/m/${path}`).find(
    ({ stage }) => stage === 'compare',
  )

test('nothing is compared unless the file says so', () => {
  expect(compareOf('')).toBeUndefined()
})

test('the vendor that is exported is asked, of the events of all windows', () => {
  const step = compareOf(
    'compare: { questions: q.yaml, html: c.html, tolerance: 0.01, since_cutover: 2024-03-20 }',
    ['2024-03-01_2024-03-02'],
  )!
  expect(step.argv.join(' ')).toBe(
    'compare /m/data/events/2024-03-02_2024-03-03 /m/data/events/2024-03-01_2024-03-02 --with mixpanel ' +
      '--vendor-region eu --tolerance 0.01 --since-cutover 2024-03-20 --questions /m/q.yaml --html /m/c.html ' +
      '--map /m/mapping.yaml --state /m/data/state --region eu',
  )
  expect(step.env).toEqual({ MIXPANEL_PROJECT_ID: '42', POSTHOG_PROJECT_ID: '7' })
})

test('another tolerance makes another comparison', () => {
  const said = (text: string) => compareOf(text)!.said
  expect(said('compare: {}')).not.toBe(said('compare: { tolerance: 0.5 }'))
})
