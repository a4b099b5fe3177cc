/** The public names of the engine: what plugins, tests and applications may import. */

export type {
  Creation,
  EnqueueOptions,
  Hook,
  HookContext,
  Next,
  ParentEntry,
  PluginContext,
  Records,
} from './action/context.ts'
export { pathOf } from './action/stream.ts'
export type { Actor } from './actor.ts'
export { ANONYMOUS, holds, SYSTEM } from './actor.ts'
export type { Access, BelongsTo, Catalog, Field, FieldPath, Filter, Resource } from './catalog/catalog.ts'
export { singular } from './catalog/name.ts'
export type { Database, Row, Runner, Statement, Transaction } from './database/database.ts'
export { deleteInBatches } from './database/delete-in-batches.ts'
export type {
  ApplicationDefinition,
  FieldDefinition,
  FilterDefinition,
  RelationDefinition,
  ResourceDefinition,
} from './definition/definition.ts'
export { ApiError, type ErrorCode, type FieldErrors, invalid } from './error.ts'
export type { Method, Reply, Route, RouteContext, UploadedFile } from './http/route.ts'
export { type FailedJob, failedJobs, retryJobs } from './job/failed.ts'
export type { JobContext, JobContribution } from './job/job.ts'
export { type JobState, jobState, openJobs } from './job/state.ts'
export { type Json, type JsonObject, type JsonSchema, JsonText } from './json.ts'
export { LIMITS } from './limits.ts'
export type { Logger } from './observe.ts'
export {
  definePlugin,
  type HookContribution,
  type Plugin,
  type SpecialFilter,
  type StartLine,
} from './plugin/plugin.ts'
export { type AttributeColumns, attributeColumns } from './query/attributes.ts'
export { policyPaths } from './query/past-policy.ts'
export { allowsOne } from './query/policy.ts'
export { accessOf } from './resolve/access.ts'
export { secretsOf } from './secret.ts'
export type { Settings } from './settings.ts'
export type { Diagnostic } from './text/diagnostic.ts'
export { nearest } from './text/nearest.ts'
