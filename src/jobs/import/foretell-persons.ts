import type { HistoryOptions, PersonsPlan } from '../../checks/index.ts'
import type { Io } from '../../io.ts'
import { apiSettingsIfAny, type Options, type ReaderValues } from '../../options/index.ts'

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
