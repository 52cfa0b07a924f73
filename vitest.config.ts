import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config'
import { patience } from './test/helpers/patience.ts'

/*
 * Three projects. The place of a test file says which it belongs to:
 *
 *   slow   test/e2e/, test/promises/, test/bench/, and any file named *.slow.test.ts: what starts the built command
 *          line, or takes more than 2 seconds on an idle machine
 *   ci     test/ci/: what needs a service, an install or minutes. Files with `kill-` in their name run here as well as
 *          in slow, with many kills instead of few (test/helpers/kills.ts)
 *   unit   all the others
 *
 * `npm test` runs unit and slow, `.ci/run` all three, `npx vitest run --project unit` one.
 * Time limits go through test/helpers/patience.ts.
 */
const SLOW = ['test/{e2e,promises,bench}/**/*.test.ts', 'test/**/*.slow.test.ts']
const CI = ['test/ci/**/*.test.ts']

function project(
  name: string,
  include: string[],
  exclude: string[],
  seconds: number,
  env: Record<string, string> = {},
): TestProjectInlineConfiguration {
  const limit = patience(seconds * 1000)
  return {
    extends: true,
    test: {
      name,
      include,
      exclude: [...exclude, '**/node_modules/**'],
      env,
      testTimeout: limit,
      hookTimeout: limit,
    },
  }
}

export default defineConfig({
  test: {
    // Many tests start processes of their own; two workers keep a small machine honest.
    maxWorkers: 2,
    setupFiles: ['test/helpers/state-home.ts'],
    projects: [
      project('unit', ['test/**/*.test.ts'], [...SLOW, ...CI], 60),
      project('slow', SLOW, CI, 300),
      project('ci', [...CI, 'test/**/*kill-*.test.ts'], [], 600, { POSTHAUL_TEST_KILLS: 'many' }),
    ],
  },
})
