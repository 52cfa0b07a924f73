import { type Finding, hasErrors, mayPass } from '../../checks/finding.ts'
import { preflight } from '../../checks/preflight/preflight.ts'
import { systemTools } from '../../checks/preflight/subject.ts'
import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import { guardedRun } from '../../guards/guards.ts'
import { systemClock } from '../../http/clock.ts'
import { GaveUp, type RetryOptions, retrying } from '../../http/retry.ts'
import type { Io } from '../../io.ts'
import { testFacts } from '../../mapping-tests/test-facts.ts'
import type { LoadedMigration } from '../../migration/migration-file.ts'
import { migrationEnv, runSubject } from '../../migration/migration-subject.ts'
import type { StagePlan } from '../../migration/stages.ts'
import { RETRY_FOR } from '../../options/import-rows.ts'
import { readOptions } from '../../options/options.ts'
import { duration } from '../../options/values.ts'
import { MS_PER_SECOND } from '../../text/units.ts'
import { loadMapping } from '../../transform/load-mapping.ts'
import { TRANSFORM_ROWS } from '../transform-options.ts'
import { requestOf } from '../transform-request.ts'

/** What was found at the last look, and the exit code where a run must not begin. */
interface Readiness {
  readonly findings: readonly Finding[]
  readonly exit: ExitCode | undefined
}

/**
 * Looks until a run can begin, a person must mend something, or the budget is over. Only errors that all may pass by
 * themselves, such as a service that is down, are looked at again.
 */
export async function awaitReady(look: () => Promise<Finding[]>, options: RetryOptions): Promise<Readiness> {
  let findings: Finding[] = []
  const attempt = async (): Promise<Readiness> => {
    findings = await look()
    if (!hasErrors(findings)) return { findings, exit: undefined }
    if (!mayPass(findings)) return { findings, exit: EXIT.rejects }
    const { text, cause } = findings.find(({ level }) => level === 'error')!
    throw new PosthaulError([text, cause].filter(Boolean).join(': '), { code: 'unavailable', fate: 'retry' })
  }
  try {
    return await retrying(attempt, options)
  } catch (error) {
    if (error instanceof GaveUp) return { findings, exit: EXIT.paused }
    throw error
  }
}

/** Whether the stages of a plan can begin. What passes is waited for as long as the import retries, or the run has time. */
export async function readinessOf(
  loaded: LoadedMigration,
  plans: readonly StagePlan[],
  stopAfterMs: number | undefined,
  io: Io,
): Promise<Readiness> {
  const { import: importing } = loaded.migration
  const env = migrationEnv(loaded, io.env)
  const subject = await runSubject(loaded, plans, env)
  const retryForMs = duration(String(importing.retry_for ?? RETRY_FOR.default))
  return awaitReady(() => preflight(subject, systemTools({ ...io, env })), {
    retryForMs: Math.min(retryForMs, stopAfterMs ?? Number.POSITIVE_INFINITY),
    clock: systemClock,
    random: Math.random,
    signal: io.interrupted,
    onRetry: ({ message }, ms) => {
      io.telemetry.note('run', `looking again in ${Math.ceil(ms / MS_PER_SECOND)} s: ${message}`, 'warn')
    },
  })
}

/**
 * Runs the tests of the mapping file before an export that is to be transformed: it can take weeks, and transform would refuse
 * what it brought.
 */
export async function assertTestsBeforeExport(plans: readonly StagePlan[], io: Io): Promise<void> {
  const running = plans.flatMap(({ step, decision }) => (decision.runs ? [step] : []))
  const transform = running.find(({ stage }) => stage === 'transform')
  if (!transform || !running.some(({ stage }) => stage === 'export')) return
  const env = { ...io.env, ...transform.env }
  const { values } = await readOptions(TRANSFORM_ROWS, transform.argv.slice(1), env)
  if (values.map === undefined) return
  const options = requestOf(values, { ...io, env })
  const facts = await testFacts({ map: values.map, file: await loadMapping(values.map), options }, io)
  const note = (text: string) => io.telemetry.note('run', text, 'warn')
  guardedRun(values.accept, note, 'nothing was exported').look(facts)
}
