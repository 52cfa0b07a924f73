import type { Hono } from 'hono'
import { z } from 'zod'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { invalid } from '../routes/api-error.ts'
import { Shelf, shelfRoutes, tagList } from './shelf.ts'

const SCOPES = ['project', 'organization', 'dashboard', 'dashboard_item', 'tag'] as const

const ANNOTATION = z.object({
  content: z.string().trim().max(8192).nullable(),
  // Kept in UTC: the zone that was given is gone.
  date_marker: z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text).toISOString().replace('.000Z', 'Z')),
  scope: z.enum(SCOPES).optional(),
  creation_type: z.enum(['USR', 'GIT']).optional(),
  dashboard_item: z.int().nullable().optional(),
  dashboard_id: z.int().nullable().optional(),
  is_emoji: z.boolean().optional(),
  tags: tagList.optional(),
  deleted: z.boolean().optional(),
})

/** Annotations: nothing keeps the same one from being made twice. */
export function annotationRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const isOld = context.dialect.deployment === 'old'
  const kind = {
    path: 'annotations',
    scope: 'annotation',
    fields: isOld ? ANNOTATION.omit({ tags: true }) : ANNOTATION,
    otherwise: {
      scope: 'project',
      creation_type: 'USR',
      dashboard_item: null,
      dashboard_id: null,
      ...(!isOld && { is_emoji: false, tags: [] }),
    },
    assert: (fields: Readonly<Record<string, unknown>>) => {
      const tags = (fields.tags ?? []) as string[]
      if ((fields.scope === 'tag') !== tags.length > 0)
        throw invalid('Tags go with the scope tag, and it with tags.', 'tags')
    },
    shown: (thing: object) => thing,
    pageSize: 1000,
  }
  shelfRoutes(app, context, kind, new Shelf())
}
