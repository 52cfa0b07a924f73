import { z } from 'zod'

const text = z.string().min(1, 'expected a text, found an empty one')
/** YAML has numbers and truth values where a property's value is a text. */
const value = z.union([text, z.number(), z.boolean()]).transform(String)
const values = z.union([value, z.array(value).min(1, 'expected at least one value')])
const whole = (most: number) =>
  z.number().int('expected a whole number').min(1, `expected 1 to ${most}`).max(most, `expected 1 to ${most}`)

const condition = z
  .strictObject({
    is: values.optional().describe('The value is one of these.'),
    is_not: values.optional().describe('The value is none of these.'),
    contains: value.optional().describe('The text has this in it.'),
    over: z.number().optional().describe('The number is larger.'),
    under: z.number().optional().describe('The number is smaller.'),
    set: z.boolean().optional().describe('true: the event has the property; false: it lacks it.'),
  })
  .refine((one) => Object.keys(one).length > 0, {
    error: 'expected one of is, is_not, contains, over, under, set',
  })

const where = z
  .record(text, z.union([value, z.array(value).min(1, 'expected at least one value'), condition]))
  .describe(
    'Conditions on properties of the event, all of which must hold: plan: pro, or amount: { over: 10 }.',
  )

/** Which events: a name, all of them, or a name with conditions. */
const eventsOf = z.union([
  text,
  z.literal(true),
  z.strictObject({ event: z.union([text, z.literal(true)]), where: where.optional() }),
])

const counted = z.union([text, z.literal(true)])

const funnel = z.strictObject({
  steps: z
    .array(eventsOf)
    .min(2, 'expected at least two steps')
    .max(20, 'expected at most 20 steps')
    .describe('Events in their order, others between them allowed.'),
  window_days: whole(365)
    .optional()
    .describe('The last step within so many times 24 hours of the first; 14 when not given.'),
})

const retention = z.strictObject({
  start: eventsOf.describe('What begins: counted once a person, when it was done first in the span.'),
  back: eventsOf.optional().describe('What is coming back; the same as start when not given.'),
  period: z.enum(['day', 'week', 'month']).optional().describe('day when not given.'),
  periods: whole(90)
    .optional()
    .describe('How many periods are looked at, that of the start included; 8 when not given.'),
})

/** What a question is about: it has one of these. */
export const ASKS = ['count', 'unique', 'sum', 'average', 'funnel', 'retention', 'report', 'people'] as const

const question = z
  .strictObject({
    name: text.optional().describe('What it is called; made of the question when not given.'),
    count: counted.optional().describe('Events of this name; true for all names.'),
    unique: counted
      .optional()
      .describe('People who did it, once in each interval; true for events of all names.'),
    sum: text.optional().describe('This property, added up; event: says of which.'),
    average: text.optional().describe('The average of this property; event: says of which.'),
    event: counted.optional().describe('With sum and average: the name of the events; all when not given.'),
    by: text.optional().describe('One row for each of the 20 most frequent values of this property.'),
    where: where.optional(),
    interval: z.enum(['day', 'week', 'month', 'whole']).optional().describe('day when not given.'),
    funnel: funnel.optional().describe('How many people take each step.'),
    retention: retention.optional().describe('Who comes back.'),
    report: z
      .union([text, z.number().int('put a number as long as this in quotes')])
      .transform(String)
      .optional()
      .describe('The id of a saved report of the vendor: see posthaul compare --list-reports.'),
    people: z.literal(true).optional().describe('How many people there are in all.'),
  })
  .refine((one) => ASKS.filter((ask) => one[ask] !== undefined).length === 1, {
    error: `expected one of ${ASKS.join(', ')}`,
  })

/** A file of questions as it is written. The build makes dist/questions.schema.json of this. */
export const questionsSchema = z
  .strictObject({
    $schema: z.string().optional().describe('Address of this schema, for editors.'),
    questions: z
      .array(question)
      .min(1, 'expected at least one question')
      .max(500, 'expected at most 500 questions'),
  })
  .describe('What posthaul compare asks. Names are the final ones, as the mapping makes them.')

export type QuestionsInput = z.output<typeof questionsSchema>
export type QuestionInput = QuestionsInput['questions'][number]
export type EventsInput = z.output<typeof eventsOf>
export type WhereInput = z.output<typeof where>
