import { foundBy, type Guard } from './guard.ts'

const codes = {
  key_mismatch: {
    level: 'error',
    restsOn: 'project',
    means:
      'no project has the project key, or none that the personal key sees: PostHog takes events under any key, and those under a wrong one are lost',
    remedy: 'take the "Project API key" of the right project\'s settings, and the address of its region',
    accepted:
      'nothing is asked of the project: neither its group types nor its days, quota and persons, nor whether events arrive',
  },
} satisfies Guard['codes']
const found = foundBy(codes)

/** Whether the project key is that of the project. */
export const KEY: Guard = {
  codes,
  look: ({ wrongKey }) => [wrongKey !== undefined && found('key_mismatch', { count: 1, text: wrongKey })],
}
