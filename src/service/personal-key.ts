import { z } from 'zod'

/** Where a personal key is told what it may do. `@current` is the key itself here, not a project. */
export const CURRENT_KEY = '/api/personal_api_keys/@current/'

/** What a personal key may do; undefined for an answer of another shape, such as an older server's. */
export const personalKeySchema = z
  .object({
    scopes: z.array(z.string()),
    scoped_teams: z.array(z.int().min(0)).nullish(),
    scoped_organizations: z.array(z.string()).nullish(),
  })
  .transform(({ scopes, scoped_teams, scoped_organizations }) => ({
    scopes,
    /** The only projects that it may read; empty if it is not limited. */
    projects: scoped_teams ?? [],
    organizations: scoped_organizations ?? [],
  }))
  .optional()
  .catch(undefined)

export type PersonalKey = NonNullable<z.infer<typeof personalKeySchema>>

/** Whether a key has a scope. Who may write may read. */
export function hasScope({ scopes }: PersonalKey, scope: string): boolean {
  return ['*', scope, scope.replace(/:read$/, ':write')].some((one) => scopes.includes(one))
}
