import { describe } from '../command.ts'
import { OPTIONS } from './options.ts'

/** `test`: whether records become what the tests of a mapping file expect. */
export const command = describe({
  argument: ['<mapping>', 'the mapping file'],
  help: `
Runs the tests in a mapping file, and those in the file beside it, which is
mapping.test.yaml for mapping.yaml: whether each record becomes what the test
expects. transform runs them, too, before it begins.

  posthaul test mapping.yaml
  posthaul test mapping.yaml --update
  posthaul test mapping.yaml --junit results.xml

posthaul explain … --map mapping.yaml --as-test writes a test of a record.
The exit code is 3 if a test fails.`,
  options: OPTIONS,
  isReported: true,
  work: () => import('./run.ts'),
})
