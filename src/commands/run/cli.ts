import type { Finding } from '../../checks/finding.ts'
import { findingJson } from '../../checks/finding.ts'
import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { jsonLine } from '../../text/json.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { findingLines } from '../lines.ts'
import type { CommandModule } from '../module.ts'
import { renderError } from '../render-error.ts'
import { useReported } from '../reported.ts'
import { initMigration } from './init.ts'
import { RUN_ROWS, type RunValues } from './order.ts'
import { runMigration } from './run.ts'
import { runJson } from './run-json.ts'
import { runStage } from './run-stage.ts'
import { dryRunLines, runPlanLines, runText } from './text.ts'

const HELP = `
The file says the whole of a migration: docs/run.md has one with comments.
A run does what is left of export, transform, check, import and verify. What is
done and has not changed is skipped, so the same command goes on after any end.`

/** `run`: a whole migration by its file. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.argument('[file]', 'the migration file, such as migration.yaml').addHelpText('after', HELP)
  useReported(command, RUN_ROWS, { io, exit }, ({ values }, [file]) =>
    values.init && file !== undefined ? initMigration(file, values, io) : run(file, values, io),
  )
}

async function run(file: string | undefined, values: RunValues, io: Io): Promise<ExitCode> {
  const voice = {
    plans: (plans: Parameters<typeof runPlanLines>[1]) => io.stderr.write(runPlanLines(file!, plans)),
    findings: (findings: readonly Finding[]) =>
      io.stderr.write(`${findingLines(findings.map(findingJson)).join('\n')}\n`),
  }
  const end = await runMigration(file, values, { runStage, voice }, io)
  if (end.kind === 'tried') {
    io.stdout.write(dryRunLines(end.plans))
    return EXIT.done
  }
  const { subject } = end
  const object = runJson(subject)
  if (values.json) io.stdout.write(jsonLine(object))
  const then = `then: ${posthaulLine(io.argv)}\n`
  if (end.kind === 'unready') {
    io.stderr.write(`  ${subject.exit === EXIT.rejects ? 'mend the errors, ' : ''}${then}`)
    return subject.exit
  }
  io.telemetry.summary('run', { json: object, text: runText(object, subject) })
  if (subject.error !== undefined) return renderError(subject.error, io)
  if (subject.left.some(({ decision }) => decision.runs)) io.stderr.write(`  ${then}`)
  return subject.exit
}
