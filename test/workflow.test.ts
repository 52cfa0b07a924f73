import { accessSync, constants, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'

const ROOT = join(import.meta.dirname, '..')
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8')

const STEP = z.union([
  z.strictObject({ uses: z.string().regex(/@v\d+$/) }),
  z.strictObject({ run: z.string() }),
])
const JOB = z.strictObject({
  'runs-on': z.string(),
  'timeout-minutes': z.number(),
  container: z.strictObject({ image: z.string(), options: z.string() }).optional(),
  steps: z.array(STEP).min(2),
})
const WORKFLOW = z.strictObject({
  name: z.string(),
  on: z.strictObject({ push: z.object({ branches: z.array(z.string()) }), pull_request: z.null() }),
  permissions: z.strictObject({ contents: z.literal('read') }),
  concurrency: z.strictObject({ group: z.string(), 'cancel-in-progress': z.literal(true) }),
  jobs: z.strictObject({ test: JOB, image: JOB }),
})

const { jobs } = WORKFLOW.parse(parse(textOf('.github/workflows/ci.yml')))
const linesOf = (job: z.infer<typeof JOB>) => job.steps.flatMap((step) => ('run' in step ? [step.run] : []))

test('the public CI runs what .ci/run runs, on the Node and the Debian that it speaks of', () => {
  expect(linesOf(jobs.test)).toEqual(['.ci/run'])
  accessSync(join(ROOT, '.ci/run'), constants.X_OK)
  const [, major] = /nothing but Node (\d+) and npm/.exec(textOf('.ci/run'))!
  expect(jobs.test.container?.image).toBe(`node:${major}-bookworm`)
})

test('it builds the image that the Dockerfile speaks of, and runs it with a root that nobody can write to', () => {
  const [build, run] = linesOf(jobs.image)
  expect(textOf('Dockerfile')).toContain(`#   ${build}\n`)
  expect(run).toMatch(/^docker run --rm --read-only --tmpfs \/tmp posthaul /)
})
