import type { AroundSource } from '../../around/index.ts'
import { type AroundAsker, COHORT_LIMITS, TAXONOMY_LIMITS } from './asked-around.ts'
import { behavioralCohorts } from './behavioral-cohorts.ts'
import { chartAnnotations } from './chart-annotations.ts'
import { taxonomyEvents, taxonomyProperties } from './taxonomy.ts'

/** Quotas by the name that they are remembered by. */
export const AROUND_QUOTAS = { taxonomy: TAXONOMY_LIMITS, cohorts: COHORT_LIMITS, around: [] } as const

/** A client for each quota. */
export type AroundAskers = Readonly<Record<keyof typeof AROUND_QUOTAS, AroundAsker>>

const UNTOLD = 'Amplitude lists its charts and dashboards only to those who log in'

/** What lies around the events of a project, as one pulls it. docs/around.md says what Amplitude does not tell. */
export function amplitudeAround(identity: string, { taxonomy, cohorts, around }: AroundAskers): AroundSource {
  const behavioral = behavioralCohorts(cohorts, around)
  return {
    ...{ name: 'Amplitude', identity },
    read: {
      events: (call) => taxonomyEvents(taxonomy, call),
      properties: (call) => taxonomyProperties(taxonomy, call),
      annotations: (call) => chartAnnotations(around, call),
      cohorts: behavioral.cohorts,
      reports: async () => ({ untold: UNTOLD }),
      dashboards: async () => ({ untold: UNTOLD }),
    },
    members: behavioral.members,
    async close() {
      await Promise.all([taxonomy, cohorts, around].map(({ client }) => client.close()))
    },
  }
}
