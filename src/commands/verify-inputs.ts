import { fileInput } from '../audit/file-input.ts'
import { datasetInput, type VerifyInput } from '../audit/verify-input.ts'
import type { Io } from '../io.ts'
import { GROUP_EVENT } from '../record/group-event.ts'
import { progressFor } from '../report/progress.ts'
import { openStore } from '../store/open.ts'

/** The options with which files were imported, as far as they change events. */
export interface FileRules {
  readonly switches: readonly string[]
  readonly bigIntegersAsStrings: boolean
}

/** The datasets and files as inputs. A dataset that is named twice counts once. */
export async function openInputs(
  datasets: readonly string[],
  files: readonly string[],
  rules: FileRules,
  io: Io,
): Promise<VerifyInput[]> {
  const opened = await Promise.all(datasets.map(async (location) => datasetInput(await openStore(location))))
  const unique = opened.filter((input, n) => opened.findIndex(({ sha256 }) => sha256 === input.sha256) === n)
  return files.length === 0 ? unique : [...unique, await openFiles(files, rules, io)]
}

/** What the service should have of files that were imported as they are: read by the same rules, each event once. */
async function openFiles(files: readonly string[], given: FileRules, io: Io): Promise<VerifyInput> {
  const { eventFileReader, FILE_IMPORT_ID, openEventFiles } = await import('./event-files.ts')
  const source = await openEventFiles(files)
  const rules = { groupEventName: GROUP_EVENT, ...given }
  const progress = progressFor(io.stderr)
  progress.start('read', source.totalBytes)
  const open = async () => ({ source, reader: eventFileReader(rules) })
  const { interrupted } = io
  return fileInput({
    paths: files,
    files: { open, interrupted, progress: progress.add },
    importId: FILE_IMPORT_ID,
  }).finally(progress.stop)
}
