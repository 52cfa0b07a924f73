import { hasErrors } from '../../checks/finding.ts'
import { EXIT, type ExitCode } from '../../errors.ts'
import type { IMPORT_ROWS } from '../../imports/import-options.ts'
import { importOrder } from '../../imports/import-order.ts'
import { openSource } from '../../imports/import-source.ts'
import type { Io } from '../../io.ts'
import { apiSettings, ingestSettings } from '../../options/service-settings.ts'
import { isS3 } from '../../store/s3-location.ts'
import { verifyArgv } from '../../text/command-line.ts'
import type { Call } from '../command.ts'
import { verifyWords } from './import-of.ts'
import type { ImportResult } from './result.ts'

export { importResult as schema } from './result.ts'
export { importLines as lines } from './text.ts'

type ImportCall = Call<typeof IMPORT_ROWS>

/** Sends what is left of the input, or says what would be sent. What ended the run comes after its result. */
export async function* run(call: ImportCall, world: Io): AsyncGenerator<ImportResult> {
  const order = importOrder(call, world.env)
  if (call.values.dryRun) {
    const { planImport } = await import('./plan-import.ts')
    yield await planImport(order, call, world)
    return
  }
  // Most first runs fail here, before anything is read: what is wrong on this machine is said before an address or a key is asked for.
  const ingest = await ingestSettings(call, world.stdin).catch(async (error: unknown) => {
    if (!isS3(order.source.input.path)) await openSource(order)
    throw error
  })
  if (call.values.verify) await apiSettings(call, world.stdin)
  // A dry run and help need no client of HTTP, whose loading takes longer than either.
  const { deliver } = await import('./deliver.ts')
  const { result, error } = await deliver({ order, options: call, ingest }, world)
  yield result
  if (error !== undefined) throw error
}

/** Only the run that made rejects exits with 3, so that a scheduler hears of them once. Later summaries still name them. */
export function exit({ dry_run: isDry, counts, findings, rejected_now: now }: ImportResult): ExitCode {
  const isAmiss = isDry ? hasErrors(findings) || counts.rejected > 0 : (now ?? 0) > 0
  return isAmiss ? EXIT.rejects : EXIT.done
}

/** With --verify the command line that verify_command says comes next, and waits for what is under way. */
export function follow({ finished }: ImportResult, call: ImportCall, { argv, env }: Io): readonly string[] {
  const { verify, json } = call.values
  if (!verify || !finished) return []
  return [
    ...verifyArgv(verifyWords(importOrder(call, env)), argv),
    ...['--wait', '10m'],
    ...(json ? ['--json'] : []),
  ]
}

export function next(result: ImportResult, { values }: ImportCall): readonly string[] {
  const { mend_command: mend, fetch_command: fetch, next_command: then, verify_command: verify } = result
  if (values.dryRun) return then === null ? [] : [`  next: ${then}`]
  return [
    ...(fetch === null ? [] : [`  get a copy: ${fetch}`]),
    ...(mend === null ? [] : [`  mend ${fetch === null ? 'a copy' : 'it'}, then: ${mend}`]),
    ...(then !== null ? [`  then: ${then}`] : result.counts.written > 0 ? [`  next: ${verify}`] : []),
  ]
}
