import { isPresetFile } from '../../mapping/index.ts'
import {
  ENDPOINT,
  EXPLAINED_EVENT,
  JSON_SUMMARY,
  LINE,
  transformRows as rows,
  UUID,
  type Values,
} from '../../options/index.ts'
import { PRESET_NAMES } from '../../presets/index.ts'

// Without a default: if the option is not given, the mapping file decides.
const { default: _, ...BIG_INTEGERS_MAPPED } = rows.BIG_INTEGERS

/** The options of `explain`: which record, and those of transform that change what becomes of one. */
export const EXPLAIN_ROWS = [
  LINE,
  UUID,
  EXPLAINED_EVENT,
  {
    ...rows.PRESET,
    choices: PRESET_NAMES,
    orFile: isPresetFile,
    otherwise: 'as the mapping file says, else the one that the records fit',
  },
  rows.MAP,
  rows.SOURCE_TIMEZONE,
  rows.GROUP_TYPE,
  rows.PERSON_PROPERTIES,
  { ...BIG_INTEGERS_MAPPED, otherwise: 'as the mapping file says, else keep' },
  rows.GROUP_EVENT_NAME,
  rows.WHERE,
  rows.WITH,
  rows.JOIN,
  rows.IMPORT_ID_ROW,
  rows.NO_IMPORT_ID,
  { ...JSON_SUMMARY, help: 'print one JSON object on stdout' },
  ENDPOINT,
] as const

export type ExplainValues = Values<typeof EXPLAIN_ROWS>
