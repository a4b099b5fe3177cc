/** The hook `saved_views.check`: a view is stored only if the list takes what it asks for, from the person who stores it. */
import {
  ApiError,
  type FieldErrors,
  fieldError,
  type HookContext,
  invalid,
  type JsonObject,
  type Next,
} from '../../engine/index.ts'

/** Parameters that the console adds to those of the list. */
const OF_THE_SCREEN = ['columns', 'view', 'group', 'pages', 'range', 'day']
/** Parameters that are no part of a view. */
const OF_THE_MOMENT = ['page', 'per_page', 'cursor', 'where', 'fields', 'omit', 'include']

/** Runs around the creation and every change of a saved view. */
export async function check(context: HookContext, next: Next): Promise<void> {
  const { input } = context
  if (['resource', 'where', 'query'].some((name) => input[name] !== undefined)) {
    const errors = await mistakesIn(context, await context.draft())
    if (Object.keys(errors).length > 0) throw invalid(errors)
  }
  await next()
}

async function mistakesIn({ catalog, records }: HookContext, draft: JsonObject): Promise<FieldErrors> {
  const name = String(draft.resource)
  if (catalog.resources.get(name)?.actions.has('list') !== true)
    return { resource: [fieldError('invalid', `No resource with a list is called "${name}"`)] }
  const asked = new URLSearchParams(String(draft.query ?? ''))
  const odd = OF_THE_MOMENT.filter((parameter) => asked.has(parameter))
  if (odd.length > 0) return { query: [fieldError('invalid', `"${odd[0]}" is no part of a view: leave it out`)] }
  for (const parameter of OF_THE_SCREEN) asked.delete(parameter)
  const where = draft.where === null || draft.where === undefined ? {} : { where: textOf(draft.where) }
  try {
    await records(name).list({ ...Object.fromEntries(asked), ...where, per_page: '1' })
    return {}
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return placed(error)
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** What the list refuses, at the fields of the view. */
function placed({ message, params }: ApiError): FieldErrors {
  if (params.errors === undefined) return { resource: [message] }
  return Object.fromEntries(
    Object.entries(params.errors).map(([name, said]) => [
      name === 'where' || name.startsWith('where.') ? name : `query.${name}`,
      said,
    ]),
  )
}
