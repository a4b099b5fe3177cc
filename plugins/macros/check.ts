/** The hook `macros.check`: a macro is stored only if its steps could be done. */
import {
  type Catalog,
  type FieldErrors,
  type HookContext,
  inSentence,
  invalid,
  isObject,
  type JsonObject,
  type Next,
  type Resource,
} from '../../engine/index.ts'
import { type Budget, templateBudget } from '../templates/budget.ts'
import { templateFault, textsIn } from './template.ts'

type Errors = { -readonly [K in keyof FieldErrors]: FieldErrors[K] }

/** Runs around the creation and every change of a macro. */
export async function check(context: HookContext, next: Next): Promise<void> {
  const { catalog, input } = context
  if (['resource', 'set', 'create'].some((name) => input[name] !== undefined)) {
    const draft = await context.draft()
    const resource = withMacros(catalog, String(draft.resource))
    if (resource === undefined) throw invalid({ resource: [`There are macros for ${namesOf(catalog)} alone`] })
    const budget = templateBudget(catalog.limits)
    const errors = {
      ...(await setErrors(context, resource, objectOf(draft.set), budget)),
      ...(await createErrors(context, resource, objectOf(draft.create), budget)),
    }
    if (Object.keys(errors).length > 0) throw invalid(errors)
  }
  await next()
}

/** The resource of this name, if it has `macros: true`. */
function withMacros({ resources }: Catalog, name: string): Resource | undefined {
  const resource = resources.get(name)
  return resource?.keys.macros === true ? resource : undefined
}

function namesOf({ resources }: Catalog): string {
  const names = [...resources.values()].filter(({ keys }) => keys.macros === true).map(({ name }) => name)
  return names.join(', ')
}

/** A json value for hooks: parsed, or as text. */
export function objectOf(value: unknown): JsonObject {
  const parsed: unknown = typeof value === 'string' ? JSON.parse(value) : value
  return isObject(parsed) ? parsed : {}
}

async function setErrors(
  { records }: HookContext,
  resource: Resource,
  set: JsonObject,
  budget: Budget,
): Promise<Errors> {
  const found = await records(resource.name).check('update', set)
  return { ...placed('set', found), ...templateErrors('set', set, resource, budget) }
}

async function createErrors(
  { catalog, records }: HookContext,
  resource: Resource,
  create: JsonObject,
  budget: Budget,
): Promise<Errors> {
  const errors: Errors = {}
  for (const [path, body] of Object.entries(create)) {
    const child = childAt(catalog, resource, path)
    if (child === undefined) {
      const known = [...childrenOf(catalog, resource).keys()]
      const which = known.length === 0 ? 'nothing is' : `${known.join(', ')} can be`
      errors[`create.${path}`] = [`Below a ${inSentence(resource.label)} ${which} created`]
      continue
    }
    const found = await records(child.resource.name).check('create', objectOf(body))
    Object.assign(errors, placed(`create.${path}`, found))
  }
  return { ...errors, ...templateErrors('create', create, resource, budget) }
}

function placed(place: string, errors: Errors): Errors {
  return Object.fromEntries(Object.entries(errors).map(([name, sentences]) => [`${place}.${name}`, sentences]))
}

function templateErrors(place: string, value: JsonObject, resource: Resource, budget: Budget): Errors {
  const errors: Errors = {}
  for (const [at, text] of textsIn(value)) {
    const fault = templateFault(text, resource, budget)
    if (fault !== undefined) errors[`${place}.${at}`] = [fault]
  }
  return errors
}

/** The resource of records below a record, and its relation to that. */
export interface Child {
  readonly resource: Resource
  readonly relation: string
}

/** By the last part of the path, as in POST /tickets/{id}/comments. */
function childrenOf({ resources }: Catalog, parent: Resource): ReadonlyMap<string, Child> {
  const found = [...resources.values()].flatMap((resource) =>
    resource.nested
      .filter(({ relation, actions }) => relation.target === parent.name && actions.includes('create'))
      .map(({ relation, path }) => [path, { resource, relation: relation.name }] as const),
  )
  return new Map(found)
}

/** The resource of records that a path below a record creates; undefined without one. */
export function childAt(catalog: Catalog, parent: Resource, path: string): Child | undefined {
  return childrenOf(catalog, parent).get(path)
}
