import { FORMAT } from '../../options/output-rows.ts'
import { EVERY_PROJECT_ROWS } from '../../options/service-settings.ts'

export const OPTIONS = [FORMAT, ...EVERY_PROJECT_ROWS] as const
