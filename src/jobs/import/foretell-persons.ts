import type { HistoryOptions } from '../../checks/persons/history.ts'
import type { PersonsPlan } from '../../checks/persons/persons-plan.ts'
import type { Io } from '../../io.ts'
import type { Options } from '../../options/options.ts'
import { apiSettingsIfAny, type ReaderValues } from '../../options/service-settings.ts'

/** What an import would do to persons; undefined without a personal key, and where the project has none of them. */
export async function foretellPersons(
  options: Options<ReaderValues>,
  input: Pick<HistoryOptions, 'open'>,
  io: Io,
): Promise<PersonsPlan | undefined> {
  const settings = await apiSettingsIfAny(options, io.stdin)
  if (!settings) return undefined
  // Without a key nobody is asked.
  const { askForPersons } = await import('./import-persons.ts')
  return askForPersons(settings, input, io)
}
