import type { Context, Hono } from 'hono'
import { z } from 'zod'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { cutConnection, struckBy } from '../faults/commit.ts'
import { access } from '../routes/access.ts'
import { invalid, notFound, offsetPage } from '../routes/api-error.ts'

/** Something that people made in the project by its API. */
export type Thing = Record<string, unknown> & { readonly id: number; deleted: boolean }

/** The things of one kind, in the order in which they were made. A restart forgets them. */
export class Shelf {
  readonly #things: Thing[] = []

  get live(): readonly Thing[] {
    return this.#things.filter(({ deleted }) => !deleted)
  }

  /** The thing with this id, a deleted one too. */
  find(id: unknown): Thing | undefined {
    return this.#things.find((thing) => String(thing.id) === String(id))
  }

  make(fields: Readonly<Record<string, unknown>>): Thing {
    const thing = { ...fields, id: this.#things.length + 1, deleted: false }
    this.#things.push(thing)
    return thing
  }
}

/** How a kind of things is made, changed and shown. */
export interface ShelfKind {
  readonly path: string
  readonly scope: string
  /** The fields that a request may give; others are ignored, as by the service. */
  readonly fields: z.ZodObject
  /** Fields of a new thing that was given none. */
  readonly otherwise: Readonly<Record<string, unknown>>
  /** Throws ApiError for what a schema can't refuse; runs before anything is changed. */
  readonly assert?: (fields: Readonly<Record<string, unknown>>, thing: Thing | undefined) => void
  /** What else a request does, once its fields are set. */
  readonly follow?: (thing: Thing, fields: Readonly<Record<string, unknown>>) => void
  /** As an answer shows it, of a list or alone. */
  readonly shown: (thing: Thing, listed: boolean) => object
  /** The page of a list that names no limit. */
  readonly pageSize?: number
}

/** List, one, POST and PATCH of a kind. Things are not deleted but by `deleted: true`: DELETE is a 405. */
export function shelfRoutes(
  app: Hono<NodeEnv>,
  context: SandboxContext,
  kind: ShelfKind,
  shelf: Shelf,
): void {
  const allow = access(context)
  const [reads, writes] = [allow(`${kind.scope}:read`), allow(`${kind.scope}:write`)] as const
  const base = `/api/projects/:id/${kind.path}`

  app.get(base, reads, (c) => {
    const found = shelf.live.filter(searched(c)).map((thing) => kind.shown(thing, true))
    return c.json(offsetPage(c, found, kind.pageSize))
  })
  app.get(`${base}/:thing`, reads, (c) => c.json(kind.shown(liveIn(shelf, c), false)))
  app.post(base, writes, async (c) => {
    const fields = fieldsOf(kind.fields, await bodyOf(c))
    kind.assert?.(fields, undefined)
    const { deleted: _, ...given } = fields
    const thing = shelf.make({
      ...kind.otherwise,
      created_at: new Date(context.now()).toISOString(),
      ...given,
    })
    kind.follow?.(thing, fields)
    return answered(c, context, kind.shown(thing, false))
  })
  app.patch(`${base}/:thing`, writes, async (c) => {
    // What was deleted can be restored.
    const thing = shelf.find(c.req.param('thing'))
    if (!thing) throw notFound()
    const fields = fieldsOf(kind.fields.partial(), await bodyOf(c))
    kind.assert?.(fields, thing)
    Object.assign(thing, fields)
    kind.follow?.(thing, fields)
    return c.json(kind.shown(thing, false))
  })
}

export function liveIn(shelf: Shelf, c: Context<NodeEnv>): Thing {
  const thing = shelf.find(c.req.param('thing'))
  if (!thing || thing.deleted) throw notFound()
  return thing
}

/** Answers what was made with a 201, unless the answer is to be lost on its way. */
export function answered(c: Context<NodeEnv>, context: SandboxContext, made: object): Response {
  return struckBy(context, 'around') ? cutConnection(c.env) : c.json(made, 201)
}

/** The JSON of a request; undefined where it is none. */
export function bodyOf(c: Context<NodeEnv>): Promise<unknown> {
  return c.req.json().catch(() => undefined)
}

/** The fields of a request. ApiError 400 that names the first wrong one. */
export function fieldsOf<Schema extends z.ZodObject>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body ?? {})
  if (parsed.success) return parsed.data
  const { path, message } = parsed.error.issues[0]!
  throw invalid(message, path.join('.'))
}

/** Tags, as the service stores them. */
export const tagList = z
  .array(z.string().max(255))
  .transform((tags) => [...new Set(tags.map((tag) => tag.trim().toLowerCase()))].sort())

/** A test for what has the text that the request searches for in its name or content. */
export function searched(c: Context<NodeEnv>): (thing: Readonly<Record<string, unknown>>) => boolean {
  const search = c.req.query('search')?.toLowerCase() ?? ''
  return ({ name, content }) => `${name ?? content ?? ''}`.toLowerCase().includes(search)
}
