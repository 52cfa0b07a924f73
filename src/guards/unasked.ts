import { becauseOf } from '../checks/finding.ts'
import { foundBy, type Guard } from './guard.ts'

const codes = {
  project_unasked: {
    level: 'error',
    restsOn: 'project',
    means:
      'a personal key is set, and the project could not be asked: whose the key is, its group types, or what it holds of these days',
    remedy: 'posthaul doctor says what is wrong with the key, the address and the scopes',
    accepted:
      'what could not be asked is not looked at. Where it is whose the key is, nothing is asked: neither group types nor days, quota, persons, nor whether events arrive',
  },
} satisfies Guard['codes']
const found = foundBy(codes)

/** Whether the project answered. */
export const UNASKED: Guard = {
  codes,
  look: ({ unasked = [] }) =>
    unasked.map(({ what, error }) => {
      const { remedy = codes.project_unasked.remedy, passes = false } = becauseOf(error)
      const text = [`could not ask ${what}: ${error.message}`, ...error.lines].join('; ')
      return found('project_unasked', { count: 1, text, remedy, passes })
    }),
}
