/** What options/ opens to others. */
export { loadConfigFile } from './config-file.ts'
export { ENVIRONMENT, hasFile, VARIABLES } from './environment.ts'
export { givenOptions } from './given.ts'
export {
  type Options,
  type Resolved,
  readOptions,
  useOptions,
  type ValueSource,
} from './options.ts'
export { readSecret } from './read-secret.ts'
export type { Env } from './row.ts'
export {
  configName,
  flagOf,
  helpOf,
  isTrueOrFalse,
  type Row,
  required,
  row,
  type Values,
} from './row.ts'
export * as datasetRows from './rows/dataset-rows.ts'
export { DATASET, ENDPOINT, FILE, GZIP_OUTPUT, IN, OUT, WORK_DIR } from './rows/dataset-rows.ts'
export * as exportRows from './rows/export-rows.ts'
export { CONCURRENCY, REQUESTS_PER_HOUR, WINDOW } from './rows/export-rows.ts'
export {
  ALL_TYPES,
  EVENTS,
  EVERY_PAGE,
  GROUPS_VIA,
  KEY,
  LIMIT,
  PROPERTY,
  SEARCH,
  TYPE,
  VALUE,
} from './rows/groups-rows.ts'
export * as importRows from './rows/import-rows.ts'
export {
  ACCEPT_HIDDEN_GROUPS,
  ACCEPT_OTHERS,
  APPROVED,
  BATCH_BYTES,
  BATCH_EVENTS,
  CHECKPOINT_ROW,
  DRAIN,
  LANES,
  MAX_EVENTS,
  MAX_EVENTS_PER_ID,
  MAX_EVENTS_PER_MINUTE,
  RETRY_FOR,
  SINGLE_WRITER,
  STATE,
  WAIT,
} from './rows/import-rows.ts'
export { FORMAT, GROUP_READABLE, HTML, JSON_SUMMARY, OVERWRITE, PAGE } from './rows/output-rows.ts'
export {
  INIT_DAYS,
  INIT_SOURCE,
  INIT_STORE,
  RUN_CHANGED,
  RUN_DRY_RUN,
  RUN_FROM,
  RUN_INIT,
  RUN_STAGES,
  RUN_STOP_AFTER,
  RUN_UNTIL,
} from './rows/run-rows.ts'
export {
  DATA,
  DEMO_EVENTS,
  DIR,
  EXPOSE,
  FAULT,
  LISTEN_HOST,
  PORT,
  PROJECT_SETTING,
  SANDBOX_PROJECT_KEY,
  SEED,
  STORAGE,
} from './rows/sandbox-rows.ts'
export * as serviceRows from './rows/service-rows.ts'
export { CONFIG, HOST, PERSONAL_KEY_FILE, PROJECT_ID, REGION } from './rows/service-rows.ts'
export {
  AS_TEST,
  EXPLAINED_EVENT,
  INIT_OUT,
  LINE,
  STUDIO_PORT,
  STUDIO_SAMPLE,
  UUID,
} from './rows/studio-rows.ts'
export * as telemetryRows from './rows/telemetry-rows.ts'
export {
  DEBUG,
  HEALTHCHECK,
  LOG_FILE,
  LOG_FORMAT,
  METRICS_FILE,
  NOTIFY_WEBHOOK,
  QUIET,
  VERBOSE,
} from './rows/telemetry-rows.ts'
export * as transformRows from './rows/transform-rows.ts'
export {
  BIG_INTEGERS,
  GROUP_EVENT_NAME,
  IMPORT_ID_ROW,
  PRESET,
  PRESET_FIXTURES,
  RULES_CHANGED,
  WITH,
} from './rows/transform-rows.ts'
export * as verifyRows from './rows/verify-rows.ts'
export {
  MISSING,
  PROJECT_NAME,
  UNDO_REQUEST,
  UNDO_STATUS,
  VERIFY,
  VERIFY_SAMPLE,
  VERIFY_WAIT,
} from './rows/verify-rows.ts'
export {
  API_ROWS,
  type ApiSettings,
  apiSettings,
  apiSettingsIfAny,
  CLOUD,
  EVERY_PROJECT_ROWS,
  hostsOf,
  INGEST_ROWS,
  type IngestSettings,
  ingestAddress,
  ingestSettings,
  OPTIONAL_API_ROWS,
  projectKeyIfAny,
  type ReaderValues,
  type SenderValues,
} from './service-settings.ts'
export { refuseKeysInConfig } from './stray-keys.ts'
export {
  duration,
  type Parse,
  parseOrigin,
  pingAddress,
  readText,
  sampleSize,
  utcTime,
  wholeNumber,
} from './values.ts'
