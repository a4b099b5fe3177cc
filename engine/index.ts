/** The public names of the engine: what plugins, tests and applications may import. */

export { accessTable } from './access/table.ts'
export type { Actor } from './actor.ts'
export { ANONYMOUS, SYSTEM } from './actor.ts'
export { type ActCount, actCounts, countAct } from './acts.ts'
export { type Address, addressOf, isOwnHost, isWithin, type Network, subnetOf } from './address.ts'
export { admits, allowsOne, holds } from './ask/policy.ts'
export type {
  ActionContext,
  ActionContribution,
  ActionMistake,
  ActionPlace,
  ActionRecord,
  ActionWork,
  RunName,
} from './automation/action.ts'
export { ActionFailed } from './automation/action.ts'
export {
  type AutomationState,
  automationStates,
  type FailedRun,
  failedRuns,
  retryRuns,
} from './automation/state.ts'
export {
  answerTo,
  type Breaker,
  BreakerOpen,
  breakerOf,
  createBreaker,
  isUnreachable,
  unlessAborted,
} from './breaker.ts'
export { clockAt, dayAt, momentOf, zoneNamed } from './calendar/zone.ts'
export type { AddedPage, Addition, Additions } from './catalog/addition.ts'
export type { Access, BelongsTo, Catalog, Field, FieldPath, Filter, Relation, Resource } from './catalog/catalog.ts'
export { inSentence, singular } from './catalog/name.ts'
export { policyPaths } from './catalog/policy-paths.ts'
export { endOf, idOf, idSql, idType, keptIdSql, loggedIdSql, targetOf } from './catalog/stored.ts'
export { inLanguage, pluginTextIn, textIn } from './catalog/words.ts'
export type { Change, FieldChange, HearingContext, ListenerContext, ListenerContribution } from './change/listener.ts'
export { forgetChanges } from './change/retention.ts'
export {
  type FailedChange,
  failedChanges,
  type ListenerState,
  listenerStates,
  retryChanges,
} from './change/state.ts'
export { relatedPath, wayOf } from './context/many-records.ts'
export type { Connection, Database, Row, Runner, Statement, Transaction } from './database/database.ts'
export { deleteInBatches } from './database/delete-in-batches.ts'
export type {
  ApplicationDefinition,
  FieldDefinition,
  FilterDefinition,
  RelationDefinition,
  ResourceDefinition,
  RuleDefinition,
} from './definition/definition.ts'
export { shortFile } from './disk/failure.ts'
export { flush, isStorageKey, makeFolder, requireStorageKey, writeWhole } from './disk/files.ts'
export type { Check, CheckContext, Finding } from './doctor/finding.ts'
export type { FileStore, StoredFiles } from './dump/stored-files.ts'
export { ApiError, type ErrorCode, invalid, isRefusal, sentenceOf } from './error.ts'
export { describeSchema } from './explain/schema-description.ts'
export { FieldError, type FieldErrorCode, type FieldErrors, fieldError } from './field-error.ts'
export { nameSqlText, nameText } from './filter/text-forms.ts'
export { isSameOrigin } from './http/credentials.ts'
export { languageFor, sentencesFor } from './http/negotiation.ts'
export type { BodyKind, Method, RawBody, Reply, Route, RouteContext, UploadedFile } from './http/route.ts'
export type { Id } from './id.ts'
export { type JobContext, type JobContribution, JobGivenUp } from './job/job.ts'
export { countJobs, type FailedJob, failedJobs, type JobState, jobState, openJobs, retryJobs } from './job/state.ts'
export { asJson, isObject, type Json, type JsonObject, type JsonSchema, JsonText, namesTag } from './json.ts'
export { INEXACT, inexactNumbers } from './json-number.ts'
export { LIMITS } from './limits.ts'
export { memo } from './memo.ts'
export type { Logger } from './observe.ts'
export { type OldFiles, removeOldFiles } from './old-files.ts'
export { guide } from './openapi/guide.ts'
export {
  definePlugin,
  type HookContribution,
  type PeopleContribution,
  type PlanContribution,
  type Plugin,
  type Presented,
  type ProvidersContribution,
  type RuleComplaint,
  type SentMail,
  type SpecialFilter,
  type StartLine,
  type SystemContext,
} from './plugin/plugin.ts'
export { EditRefused, type FileEdit, ownFiles, textHash } from './proposal/file-edits.ts'
export {
  applyPlanOf,
  presentFiles,
  presentPlan,
  propose,
  writeProposal,
} from './proposal/proposal.ts'
export { FileChanged } from './proposal/write-files.ts'
export { accessOf } from './resolve/access.ts'
export type {
  Below,
  Creation,
  CreationEntry,
  EnqueueOptions,
  Entry,
  Hook,
  HookContext,
  Next,
  ParentEntry,
  PluginContext,
  Records,
  UpdateOptions,
} from './run/context.ts'
export { pathOf } from './run/export.ts'
export * from './run/resource-types.ts'
export { isSecret, opened, openedSecret, seal, unseal } from './seal.ts'
export { keysOf, secretsOf } from './secret.ts'
export type { Settings } from './settings.ts'
export { type ChangeCondition, type ReadChangeCondition, readChangeCondition } from './statement/change-condition.ts'
export { type AttributeColumns, attributeColumns } from './statement/compiled.ts'
export type { Findings, Related, Sighting, Survey, Surveyed } from './statement/many-records.ts'
export { comparedText } from './statement/record.ts'
export { type ValueForm, valueForm, valuesHoldSql } from './statement/value-condition.ts'
export type { ConditionProblem, ReadCondition } from './statement/written-condition.ts'
export type { Diagnostic } from './text/diagnostic.ts'
export { durationMs } from './text/duration.ts'
export { nearest } from './text/nearest.ts'
export { type GiveWay, turns } from './turns.ts'
export { countStored } from './write/quota.ts'
