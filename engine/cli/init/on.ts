/** A new application on another one ⇄: which application that is, and the resource by which its files show how to extend it. */
import { relative, resolve, sep } from 'node:path'
import { type Boot, readCatalog } from '../../boot/boot.ts'
import { nameOf } from '../../boot/extend-resource.ts'
import { findApplication } from '../../boot/layers.ts'
import type { Catalog, Resource } from '../../catalog/catalog.ts'
import { parseDocument } from '../../definition/parse.ts'
import { renderDiagnostics } from '../../text/render.ts'
import { filesIn, folderOf } from './template.ts'

const FIELD = 'our_reference'

/** What is asked of a new application: its folder, and the application below as the command line names it. */
interface Wanted {
  readonly folder: string
  readonly on: string
}

/** The files of a new application on another one; throws a sentence where that cannot be found or has mistakes. */
export async function filesOn(
  { folder, on }: Wanted,
  words: Readonly<Record<string, string>>,
): Promise<ReadonlyMap<string, string>> {
  const isPath = /^\.{0,2}[\\/]|^\.{1,2}$/.test(on)
  const base = isPath ? pathFrom(resolve(folder, 'resources'), on) : on.includes('/') ? on : `plinth/${on}`
  const found = await findApplication(base, isPath ? resolve(folder, 'resources') : folder)
  if ('message' in found) throw new Error(`${found.message}: ${found.hint}`)
  const { value, diagnostics } = await readCatalog({ resourcesDir: found.folder, pluginsDir: found.plugins })
  if (value === undefined) throw new Error(renderDiagnostics(diagnostics))
  const resource = extendable(value)
  const all = await filesIn(folderOf('template-on'), { ...words, base, resource: resource?.name ?? '' })
  return new Map([...all, ...(resource === undefined ? [] : example(value.catalog, resource))])
}

function pathFrom(folder: string, path: string): string {
  const way = relative(folder, resolve(path)).split(sep).join('/')
  return way.startsWith('.') ? way : `./${way}`
}

/** The resource with the most fields among those that the files of the application declare themselves. */
function extendable({ catalog, composition, sources }: Boot): Resource | undefined {
  // app.yaml is first; plugins' files follow in their order.
  const brought = sources.slice(1, composition.resources.length + 1).map((source) => {
    const document = parseDocument(source).value
    return document && nameOf(document)
  })
  const own = [...catalog.resources.values()].filter(
    ({ actions, fields, name, owner }) =>
      owner === name && actions.has('list') && !fields.has(FIELD) && !brought.includes(name),
  )
  return own.sort((a, b) => b.fields.size - a.fields.size)[0]
}

/** The files that extend a resource by a field, and try it. */
function example({ accounts }: Catalog, { name, path }: Resource): readonly (readonly [string, string])[] {
  const [role] = accounts?.roles ?? []
  const as = role === undefined ? '' : `as: ${role}, `
  const schema = (kind: string): string => `# yaml-language-server: $schema=../.plinth/${kind}.schema.json\n`
  return [
    [
      `resources/${name}.yaml`,
      `${schema('resource')}resource: ${name}\nfields:\n  ${FIELD}: { type: string, max: 50, description: The number that we have for it }\nfilters: [${FIELD}]\n`,
    ],
    [
      `resources/${name}.test.yaml`,
      `${schema('test')}scenarios:\n  lists of ${path} are filtered by our reference:\n    - { ${as}request: "GET /${path}?${FIELD}=A-1&fields=id,${FIELD}", status: 200, answer: { data: [] } }\n`,
    ],
  ]
}
