/** The rule for `csv:`: columns lead to fields, and name only titles that exist. */
import { type Catalog, type Diagnostic, nearest, type Resource } from '../../engine/index.ts'
import { columnOf, headerWord } from './columns.ts'
import { definitionOf } from './csv-key.ts'

/** Diagnostics about the files of every resource. */
export function columnsLead(catalog: Catalog): readonly Diagnostic[] {
  return [...catalog.resources.values()].flatMap((resource) => judged(catalog, resource))
}

function judged(catalog: Catalog, resource: Resource): readonly Diagnostic[] {
  const definition = definitionOf(resource.keys.csv)
  if (definition === undefined) return []
  const { span } = resource
  const astray = columnsAstray(catalog, resource)
  if (astray.length > 0) return astray
  const titles = Object.keys(definition.columns)
  const words = titles.map(headerWord)
  const twice = titles.filter((title, at) => words.indexOf(headerWord(title)) !== at)
  const named = Object.values(definition.columns).flatMap((column) =>
    typeof column === 'string' || column.otherwise === undefined ? [] : [column.otherwise],
  )
  return [
    ...createsLead(catalog, resource, titles).map(
      (message): Diagnostic => ({ code: 'csv/wrong_create', message: `csv: ${message}`, span }),
    ),
    ...twice.map((title): Diagnostic => {
      const message = `csv: the column "${title}" is there twice; titles are read without regard to case`
      return { code: 'csv/same_title', message, span, hint: 'give it another title' }
    }),
    ...named
      .filter((title) => !titles.includes(title))
      .map((title): Diagnostic => {
        const found = nearest(title, titles)
        const hint = found === undefined ? 'name a column by its title' : `did you mean "${found}"?`
        return { code: 'csv/unknown_title', message: `csv: there is no column "${title}" to read instead`, span, hint }
      }),
  ]
}

/** Layout that lead nowhere, each with the nearest field or relation. */
function columnsAstray(catalog: Catalog, resource: Resource): readonly Diagnostic[] {
  const { fields, relations, span } = resource
  const known = [...fields.keys(), ...relations.keys()]
  return Object.entries(definitionOf(resource.keys.csv)?.columns ?? {}).flatMap(([title, written]): Diagnostic[] => {
    try {
      const { intake, key } = columnOf(catalog, resource, title, written)
      if (intake.kind !== 'child' || !key) return []
      const hint = 'name the record by a field of its own'
      return [
        { code: 'csv/wrong_key', message: `csv: the column "${title}" adds records, so it is no key`, span, hint },
      ]
    } catch (error) {
      const message = `csv: the column "${title}": ${error instanceof Error ? error.message : String(error)}`
      const [head = ''] = (typeof written === 'string' ? written : written.path).split('.')
      const meant = known.includes(head) ? undefined : nearest(head, known)
      const hint =
        meant === undefined ? 'write a field, or a to-one relation and its field' : `did you mean "${meant}"?`
      return [{ code: 'csv/unknown_column', message, span, hint }]
    }
  })
}

/** Obstacles to creating the records that rows name. */
function createsLead(catalog: Catalog, { keys }: Resource, titles: readonly string[]): readonly string[] {
  return Object.entries(definitionOf(keys.csv)?.columns ?? {}).flatMap(([title, column]) => {
    if (typeof column === 'string' || column.create === undefined) return []
    const { in: name, from = {} } = column.create
    const columns = definitionOf(catalog.resources.get(name)?.keys.csv)?.columns ?? {}
    const paths = new Map(Object.entries(columns).map(([one, to]) => [one, typeof to === 'string' ? to : to.path]))
    const field = column.path.split('.').at(-1) ?? ''
    if (![...paths.values()].includes(field))
      return [`"${title}" creates ${name}, where no column has the path ${field}`]
    return Object.entries(from).flatMap(([there, here]) => [
      ...(paths.get(there)?.includes('.') === false
        ? []
        : [`"${title}" fills "${there}", which is no column of ${name} with a value of its own`]),
      ...(titles.includes(here) ? [] : [`"${title}" takes from the column "${here}", which there is not`]),
    ])
  })
}
