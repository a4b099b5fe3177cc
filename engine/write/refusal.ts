/** ⇄ Why a write is refused: failed checks of its statement, moves that are not allowed, and rules of the database itself. */

import type { Actor } from '../actor.ts'
import { readable } from '../ask/policy.ts'
import type { Field, Moves, Resource } from '../catalog/catalog.ts'
import { boundsSentence } from '../catalog/formula.ts'
import { inSentence } from '../catalog/name.ts'
import { storedFields } from '../catalog/stored.ts'
import type { Row } from '../database/database.ts'
import { isRefusedByRule, type Violation, violation } from '../database/failure.ts'
import { ApiError, invalid } from '../error.ts'
import { type FieldError, type FieldErrors, fieldError } from '../field-error.ts'
import type { Id } from '../id.ts'
import type { JsonObject } from '../json.ts'
import { indexOf, overlapName } from '../migration/catalog-tables.ts'
import { planChecks } from '../plan/write-plan.ts'
import type { WritePlan } from '../plan/write-shape.ts'
import { type FieldValues, invalidSelection, isWritable, mistake } from '../record/decode.ts'
import { type Execution, hooksOf, runCompiled } from '../run/execution.ts'
import { type SelectScope, valueSlots } from '../statement/compiled.ts'
import { isWordShown, wordsAfter } from '../statement/moves.ts'
import { type CompiledWrite, compileWrite } from '../statement/write.ts'
import type { TestedCheck } from '../statement/write-check.ts'
import { isUsable, type Links, readInput, tellable } from './input.ts'
import { linkErrors } from './links.ts'

/**
 * Why the statement of a write has written nothing, by its row: forbidden, validation_failed or conflict for the checks that
 * failed; undefined where all of them hold. `seen` says whether the caller could view the record before.
 */
export function refusalOf(
  around: Execution,
  { action, resource }: WritePlan,
  compiled: CompiledWrite,
  row: Row,
  seen: boolean,
): ApiError | undefined {
  const { checks, tells } = compiled
  // What goes or comes back is as it was stored, so no field of a body is wrong.
  if (action === 'delete' || action === 'restore') return brokenRule(checks, row)
  if (checks.some(({ kind }, i) => kind === 'policy' && row[i] !== 't'))
    return forbidden(outsideClause(action, resource))
  const errors = failed(around.actor, checks, row)
  if (Object.keys(errors).length > 0) return invalid(tellable(around.actor, resource, errors))
  return (tells > 0 ? refusedMove(around, resource, compiled, row, seen) : undefined) ?? brokenRule(checks, row)
}

/** Conflict with the sentence of the first rule that the write would break. */
function brokenRule(checks: readonly TestedCheck[], row: Row): ApiError | undefined {
  const broken = checks.find((check, i) => 'says' in check && row[i] !== 't')
  return broken !== undefined && 'says' in broken ? conflict(broken.says) : undefined
}

function forbidden(message: string): ApiError {
  return new ApiError('forbidden', { message })
}

/** Why the record as it would be is outside the clause, although its caller may make such a write. */
function outsideClause(action: 'create' | 'update', { label }: Resource): string {
  const word = inSentence(label)
  return action === 'create'
    ? `You may not create a ${word} with these values`
    : `You may change this ${word} as it is, but not as it would be afterwards`
}

function conflict(message: string, cause?: unknown): ApiError {
  return new ApiError('conflict', { message, cause })
}

function failed(actor: Actor, checks: readonly TestedCheck[], row: Row): Record<string, FieldError[]> {
  const errors: Record<string, FieldError[]> = {}
  const broken: Record<string, FieldError[]> = {}
  checks.forEach((check, i) => {
    if (row[i] === 't') return
    if ('says' in check) {
      const { at, says } = check
      if (at !== undefined) broken[at.name] = [...(broken[at.name] ?? []), fieldError('invalid', says)]
      return
    }
    if (check.kind === 'move' || check.kind === 'turn' || check.kind === 'policy') return
    if (check.kind === 'reference')
      errors[check.relation.field.name] = [invalidSelection(check.relation.field, check.relation.label)]
    else if (check.kind === 'fits')
      for (const field of check.from.length === 0 ? [check.field] : check.from)
        errors[field.name] ??= [tooMuch(actor, field, check.field)]
    else if (check.kind === 'missing') errors[check.field.name] = [mistake(check.field, 'required', 'is required')]
    else if (check.kind === 'scope') errors[check.field.name] = [invalidSelection(check.field, '')]
    else
      errors[check.field.name] = [
        fieldError('taken', `The ${check.field.name.replaceAll('_', ' ')} has already been taken`),
      ]
  })
  // What is wrong with a value itself is said before what a rule makes of it.
  return { ...broken, ...errors }
}

/** `The quantity field must leave the amount between 0 and 99.99`. */
function tooMuch(actor: Actor, sent: Field, computed: Field): FieldError {
  if (!readable(computed, actor)) return mistake(sent, 'invalid', 'must leave what is computed of it within its bounds')
  const { code, bounds } = boundsSentence(computed)
  if (sent === computed) return mistake(computed, code, `must be ${bounds}`)
  return mistake(sent, code, `must leave the ${computed.name.replaceAll('_', ' ')} ${bounds}`)
}

/**
 * What is wrong with the well-formed part of a body that is refused anyway: its references, unique values and links.
 * `id` is the record's, or undefined for one to come.
 */
export async function furtherErrors(
  around: Execution,
  resource: Resource,
  values: Readonly<FieldValues>,
  links: Links,
  id: Id | undefined,
): Promise<Record<string, FieldError[]>> {
  const given = [...resource.fields.values()].filter(
    (field) => Object.hasOwn(values, field.name) && (field.unique || field.relation !== undefined),
  )
  const linked = await linkErrors(around, resource, id, links)
  if (given.length === 0) return linked
  const action = id === undefined ? 'create' : 'update'
  const plan = around.plans.get(planChecks, { action, resource, names: given.map(({ name }) => name) })
  const compiled = around.statements.get(compileWrite, around, plan)
  const [row] = await runCompiled(around, compiled, { ...valueSlots(resource, values), id })
  return { ...(row === undefined ? {} : failed(around.actor, compiled.checks, row)), ...linked }
}

function together(words: readonly string[]): string {
  return `The combination of ${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

/** What the rule says whose index refuses an overlap; undefined where it is the index of no such rule. */
function refusedOverlap(
  resource: Resource,
  constraint: string | undefined,
  cause: unknown,
  withFields: boolean,
): ApiError | undefined {
  const rule = resource.overlaps.find((one) => overlapName(resource, one) === constraint)
  if (rule === undefined) return undefined
  if (rule.at === undefined || !withFields) return conflict(rule.says, cause)
  return new ApiError('validation_failed', { errors: { [rule.at.name]: [rule.says] }, cause })
}

/** The columns of an index of texts by how they look. The database reports an expression in place of its columns. */
function namesOf({ indexes, table }: Resource, constraint: string | undefined): readonly string[] | undefined {
  const found = indexes.find((index) => index.kind === 'looks' && indexOf(table, index).name === constraint)
  return found?.fields.map(({ column }) => column)
}

/** Whether a check of a table that is there has the name that PostgreSQL gives one of this column alone. */
function isCheckOf(table: string, column: string, constraint: string | undefined): boolean {
  return constraint?.replace(/\d+$/, '') === `${table}_${column}_check`
}

/**
 * The refusal of a write that the database itself refused; undefined for any other failure. Another request can write
 * between the check and the write, so a violation is answered by field name.
 */
export function refusedByDatabase(
  actor: Actor,
  { action, resource }: Pick<WritePlan, 'action' | 'resource'>,
  error: unknown,
): ApiError | undefined {
  // The message of such a rule is for the log of the database, since it may reveal other records.
  if (resource.existing && isRefusedByRule(error))
    return conflict('The database refuses this by a rule of its own', error)
  const found = violation(error)
  if (found === undefined) return undefined
  const isWhole = action === 'delete' || action === 'restore'
  const overlap = found.code === '23P01' ? refusedOverlap(resource, found.constraint, error, !isWhole) : undefined
  if (overlap !== undefined) return overlap
  if (isWhole) return conflict(stateSentence(actor, resource, action, found), error)
  return found.kind === 'in_use' ? undefined : refusedValues(actor, resource, found, error)
}

/** The refusal of a write that the database undid without an error, as a trigger does that returns null. */
export function undone(): ApiError {
  return conflict('The database did not make this change: a rule of its own undid it')
}

/** A violation here comes from the state of other records and not from the input, so it is told by a sentence. */
function stateSentence(actor: Actor, resource: Resource, action: 'delete' | 'restore', { columns }: Violation): string {
  const label = inSentence(resource.label)
  if (action === 'delete') return `The ${label} is still in use and cannot be deleted`
  return `The ${label} cannot be restored: ${takenSince(actor, resource, columns)} has been taken since`
}

function wordsOf({ name }: Field): string {
  return name.replace(/_id$/, '').replaceAll('_', ' ')
}

/** What was taken, by its name where the caller may use all of it. */
function takenSince(actor: Actor, resource: Resource, columns: readonly string[]): string {
  const fields = storedFields(resource).filter(({ column }) => columns.includes(column))
  const isNamed = fields.length > 0 && fields.every((field) => isUsable(actor, resource, field))
  return isNamed ? `its ${fields.map(wordsOf).join(', ')}` : 'a value of it'
}

/** What is wrong with the values by whose columns the database refuses a row; undefined where no field has one of them. */
function refusedValues(
  actor: Actor,
  resource: Resource,
  { columns: named, constraint, kind }: Violation,
  cause: unknown,
): ApiError | undefined {
  const columns = namesOf(resource, constraint) ?? named
  const isConcerned = ({ column }: Field): boolean =>
    kind === 'check' ? isCheckOf(resource.table, column, constraint) : columns.includes(column)
  const fields = storedFields(resource).filter(isConcerned)
  if (fields.length === 0 && kind === 'check' && constraint !== undefined) {
    const errors = { record: [fieldError('invalid', `The database refuses it by its check ${constraint}`)] }
    return new ApiError('validation_failed', { errors, cause })
  }
  if (fields.length === 0) return undefined
  const words = fields.map(wordsOf)
  const said = (field: Field): FieldError => {
    if (kind === 'foreign_key') return fieldError('invalid_selection', `The selected ${words[0]} is invalid`)
    if (kind === 'not_null') return mistake(field, 'required', 'is required')
    if (kind !== 'unique') return mistake(field, 'invalid', 'is invalid')
    const all = fields.length === 1 ? `The ${words[0]}` : together(words)
    return fieldError('taken', `${all} has already been taken`)
  }
  const usable = fields.every((field) => isUsable(actor, resource, field)) ? fields : []
  const errors = Object.fromEntries(usable.map((field) => [field.name, [said(field)]]))
  const told =
    usable.length > 0 ? errors : { record: [fieldError('invalid', 'A value that you may not set stands in the way')] }
  return new ApiError('validation_failed', { errors: told, cause })
}

/** Conflict or forbidden for the first move that is not allowed; `seen` says whether the caller may view the record. */
function refusedMove(
  scope: SelectScope,
  resource: Resource,
  { checks, tells }: CompiledWrite,
  row: Row,
  seen: boolean,
): ApiError | undefined {
  // The words are the last columns of the row, two for each field that moves.
  let told = row.length - tells
  let words: readonly (string | null)[] = []
  for (const [i, check] of checks.entries()) {
    if (check.kind !== 'move') continue
    if (check.whose === 'anyone') {
      words = [row[told] ?? null, row[told + 1] ?? null]
      told += 2
    }
    if (row[i] === 't') continue
    const [from = null, to = null] = words
    // Who may not read the word learns neither it nor, by what may follow, which one it is.
    if (!seen || !isWordShown(scope, resource, check.moves))
      return conflict(check.moves.says ?? hiddenMove(resource.label))
    return check.whose === 'anyone'
      ? nobodys(resource, check.moves, from, to, scope.actor)
      : forbidden(check.moves.says ?? `${notYours(resource.label)} ${quote(from)} to ${quote(to)}`)
  }
  return undefined
}

/** How the sentences begin in which a move of the resource is refused. */
export function refusalsOf({ label }: Resource, { says }: Moves): readonly string[] {
  return says === undefined ? [impossible(label), notYours(label), hiddenMove(label)] : [says]
}

function hiddenMove(label: string): string {
  return `The ${inSentence(label)} cannot be moved so`
}

function impossible(label: string): string {
  return `The ${inSentence(label)} cannot go from`
}

function notYours(label: string): string {
  return `You may not move the ${inSentence(label)} from`
}

function nobodys({ label }: Resource, moves: Moves, from: string | null, to: string | null, actor: Actor): ApiError {
  const possible = wordsAfter(moves, from, actor)
  const what = moves.says ?? `${impossible(label)} ${quote(from)} to ${quote(to)}`
  const rest =
    possible.length > 0 ? `; possible: ${possible.join(', ')}` : moves.says === undefined ? '; it stays as it is' : ''
  return conflict(`${what}${rest}`)
}

function quote(word: string | null): string {
  return word === null ? 'nothing' : `"${word}"`
}

/**
 * What is wrong with the values of a body for `create` or `update`, by field; empty when nothing is. Required fields may be
 * left out, an unknown key is always a mistake, and what only a record can show (its policy, rules, moves) is not judged.
 */
export async function checkValues(
  around: Execution,
  resource: Resource,
  action: 'create' | 'update',
  body: JsonObject,
): Promise<FieldErrors> {
  const { catalog } = around
  const strict = {
    ...around,
    catalog: { ...catalog, strictness: { ...catalog.strictness, unknownKeys: 'refuse' } },
  } as const
  const input = readInput(strict, resource, hooksOf(around, resource, action), body)
  const errors: Record<string, readonly FieldError[]> = { ...input.errors }
  for (const name of Object.keys(input.unwritable))
    errors[name] = [mistake({ name }, 'not_writable', 'cannot be written')]
  for (const name of action === 'update' ? Object.keys(input.values) : []) {
    const field = resource.fields.get(name)
    if (field !== undefined && (field.immutable || !isWritable(field)))
      errors[name] = [mistake(field, 'not_writable', 'cannot be changed')]
  }
  return { ...(await furtherErrors(around, resource, input.values, input.many, undefined)), ...errors }
}
