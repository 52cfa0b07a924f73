import { CAP_ROWS } from '../../delivery/pacer.ts'
import { DATASET, FILE, GZIP_OUTPUT, IN, OUT, WORK_DIR } from '../../options/dataset-rows.ts'
import { APPROVED, STATE, VIA } from '../../options/import-rows.ts'
import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { PERSONAL_KEY_FILE, PROJECT_ID } from '../../options/service-rows.ts'
import { INGEST_ROWS } from '../../options/service-settings.ts'
import type { Call } from '../command.ts'

export const OPTIONS = [
  { ...IN, help: 'what transform will read' },
  { ...OUT, help: 'where export or transform will write' },
  { ...GZIP_OUTPUT, help: 'transform will compress the parts' },
  WORK_DIR,
  { ...FILE, bare: false, help: 'the files that import will send' },
  { ...DATASET, bare: false, help: 'the dataset that import will send' },
  { ...STATE, help: 'where import will keep its state' },
  ...CAP_ROWS,
  APPROVED,
  VIA,
  JSON_SUMMARY,
  ...INGEST_ROWS,
  PROJECT_ID,
  PERSONAL_KEY_FILE,
] as const

export type DoctorCall = Call<typeof OPTIONS>
