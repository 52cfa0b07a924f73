import { z } from 'zod'
import { ACCEPT } from '../guards/accept.ts'
import { isPresetFile } from '../mapping/preset.ts'
import * as datasets from '../options/dataset-rows.ts'
import * as imports from '../options/import-rows.ts'
import * as service from '../options/service-rows.ts'
import * as transforms from '../options/transform-rows.ts'
import * as verifies from '../options/verify-rows.ts'
import { PRESET_NAMES } from '../presets/index.ts'
import { SHARED_ROWS } from '../sources/export-options.ts'
import * as exports from '../sources/export-rows.ts'
import type { VendorSource } from '../sources/vendor-source.ts'
import { VENDORS, type VendorName } from '../sources/vendors.ts'
import { type Settings, settingOf, settingsOf } from './row-setting.ts'

const text = z.string().min(1, 'expected a text, found an empty one')
/** A folder, a file or a bucket. What only a shell reads would become a folder of that very name. */
const place = text.regex(
  /^(?!~(?:\/|$)|\$\w|(?!s3:)[a-z][a-z0-9+.-]*:\/\/)/i,
  'expected a path written out, or s3://bucket/prefix: ~, $ and other addresses are not read here',
)
// A longer number has lost digits when it is read.
const project = z.union([text, z.number().int('put a number as long as this in quotes')]).transform(String)
const count = z.number().int('expected a whole number').positive('expected a number from 1 on')

const dates = {
  from: settingOf(exports.FROM).nonoptional('expected the first day, such as 2024-03-01'),
  to: settingOf({
    ...exports.TO,
    help: 'the first day (or hour), UTC, that is left out; with a schedule: when the old tool is switched off',
  }),
}

/** What the export of a vendor takes, by name: its options, with underscores, as the texts that they take. */
export type VendorSettings = Settings & { readonly from: string; readonly to?: string | undefined }

function vendorSchema({ rows, settings, variables, credentials }: VendorSource): z.ZodType<VendorSettings> {
  const stated = Object.entries(variables).map(([name, [variable, help]]) => {
    const value = name === 'project_id' ? project : text
    return [name, value.optional().describe(`${variable}: ${help}.`)]
  })
  const shared = SHARED_ROWS.filter(({ flag }) => rows.some((row) => row.flag === flag))
  const shape = { ...dates, ...Object.fromEntries(stated), ...settingsOf(...settings, ...shared) }
  return z
    .strictObject(shape)
    .describe(`Credentials: ${credentials}.`) as unknown as z.ZodType<VendorSettings>
}

type VendorSchemas = Readonly<Record<VendorName, z.ZodOptional<z.ZodType<VendorSettings>>>>

const vendors = Object.fromEntries(
  VENDORS.map((vendor) => [vendor.name, vendorSchema(vendor).optional()]),
) as VendorSchemas

const SOURCE_NAMES = [...VENDORS.map(({ name }) => name), 'files']

const source = z
  .strictObject({
    ...vendors,
    files: z
      .array(place)
      .min(1, 'expected at least one file')
      .optional()
      .describe(
        'Files that are there already, in place of an export: paths from this file, folders, globs, s3://…',
      ),
  })
  .refine((value) => Object.values(value).filter((one) => one !== undefined).length === 1, {
    error: `expected one of ${SOURCE_NAMES.join(', ')}`,
  })
  .describe('Where the history comes from: the export of one vendor, or files.')

const mapping = z
  .strictObject({
    ...settingsOf<{ preset: string }>({ ...transforms.PRESET, choices: PRESET_NAMES, orFile: isPresetFile }),
    file: text
      .optional()
      .describe('Mapping file that adds to the preset, as --map takes it; a path from this file.'),
    ...settingsOf(
      transforms.SOURCE_TIMEZONE,
      transforms.GROUP_TYPE,
      transforms.PERSON_PROPERTIES,
      transforms.BIG_INTEGERS,
      transforms.WITH,
    ),
    join: z
      .record(text, text)
      .optional()
      .describe(
        'Tables that the preset reads records together with: name of the table, path from this file.',
      ),
    ...settingsOf(ACCEPT, transforms.MAX_REJECT_RATIO, transforms.WORKERS, datasets.GZIP_OUTPUT),
  })
  .describe('How records become events: the options of transform, with underscores.')

const store = z
  .union([
    place,
    z.strictObject({
      at: place.describe('A folder (a path from this file), or s3://bucket/prefix.'),
      ...settingsOf<{ work_dir: string; single_writer: boolean }>(datasets.WORK_DIR, imports.SINGLE_WRITER),
    }),
  ])
  .describe(
    'Where raw records, events and the state are kept: a folder (a path from this file) or s3://bucket/prefix.',
  )

const target = z
  .strictObject({
    ...settingsOf<Record<'region' | 'host' | 'ingest_host', string>>(
      service.REGION,
      service.HOST,
      service.INGEST_HOST,
    ),
    project_id: project.optional().describe(service.PROJECT_ID.help),
  })
  .refine(({ region, host }) => (region === undefined) !== (host === undefined), {
    error: 'expected a region (us or eu), or the host of your own installation',
  })
  .describe('The project that the events go to. Its keys come from the environment.')

const caps = z
  .strictObject({
    events: count.optional().describe('Most events of the whole migration; at first 20,000,000.'),
    events_per_minute: count.optional().describe('Most events a minute; at first 10,000.'),
  })
  .describe('How much is sent, and how fast. More than the service allows unasked needs an approval.')

const approval = z
  .strictObject({
    reference: text.describe("Where the service's team gave it: a ticket, a mail, a name and a day."),
    events: count.describe('The number of events that was approved.'),
    events_per_minute: count.describe('The rate that was approved.'),
  })
  .describe('What the service has approved beyond its limits. Its numbers are the caps.')

const importing = z
  .strictObject(
    settingsOf(
      imports.LANES,
      imports.VIA,
      imports.BATCH_EVENTS,
      imports.RETRY_FOR,
      imports.DRAIN,
      imports.ARRIVAL_WAIT,
      imports.KEEP_PERSONS,
      ACCEPT,
      imports.WAIT,
    ),
  )
  .describe('How events are sent: options of import, with underscores.')

const verifying = z
  .strictObject(
    settingsOf(verifies.VERIFY_SAMPLE, {
      ...verifies.VERIFY_WAIT,
      help: `${verifies.VERIFY_WAIT.help}; 10m when not given`,
    }),
  )
  .describe('How arrival is proven: options of verify.')

const address = z
  .string()
  .regex(/^https?:\/\/[^\s/?#]/, 'expected an address, such as https://example.com/ping')

const notifications = z
  .strictObject({
    metrics_file: text.optional().describe('Prometheus text file, replaced as the run goes on.'),
    webhook: address.optional().describe('Address that JSON is posted to at start, pause and end.'),
    log_format: z.enum(['text', 'json']).optional().describe('Form of the lines of the log.'),
  })
  .describe('Who hears of a run. The options of the same names are stronger.')

/** A migration file as it is written. The build makes dist/migration.schema.json of this. */
export const migrationSchema = z
  .strictObject({
    $schema: z.string().optional().describe('Address of this schema, for editors.'),
    source,
    mapping: mapping.optional(),
    store,
    target,
    caps: caps.optional(),
    approval: approval.optional(),
    import: importing.optional(),
    verify: verifying.optional(),
    schedule: z
      .enum(['daily'])
      .optional()
      .describe(
        'daily: each run carries what has become 48 hours old since the last one, and fetches the last 5 days again.',
      ),
    notifications: notifications.optional(),
  })
  .describe('A whole migration, for posthaul run.')

export type MigrationInput = z.output<typeof migrationSchema>
