/** Pass: plugins change the resources as written, before any other pass reads them; places stay those of the file. */

import type { ApplicationDefinition, Document, ResourceDefinition } from '../definition/definition.ts'
import { sentenceOf } from '../error.ts'
import { entries } from './document-part.ts'
import type { Resolution } from './resolution.ts'

/** Runs every transform on every resource in the plugins' order, and sorts out resources of the same name. */
export function applyTransforms(resolution: Resolution): void {
  const { app, resources } = resolution.definition
  const application = {
    prefix: (app.value.prefix ?? '').replace(/\/+$/, ''),
    resources: resources.map(({ value }) => value),
  }
  for (const source of resources) {
    const document = transformed(resolution, source, application)
    const { resource: name } = document.value
    const earlier = resolution.written.get(name)
    if (earlier !== undefined) {
      const other = earlier.document.place(['resource']).source.file
      resolution.report(
        'duplicate_resource',
        `The resource "${name}" is declared in ${other} already`,
        document.place(['resource']),
        {
          hint: 'one file declares one resource; give this one another name or remove it',
        },
      )
      continue
    }
    const original = new Set(Object.keys(source.value.fields ?? {}))
    const fields = new Map(entries(document, ['fields'], document.value.fields))
    resolution.written.set(name, {
      name,
      document,
      fields,
      relations: new Map(entries(document, ['relations'], document.value.relations)),
      added: new Set([...fields.keys()].filter((field) => !original.has(field))),
      base: resolution.definition.bases.baseOf.get(name),
    })
  }
}

/** A transform is a plugin's code, which no compiler need have seen. */
function isDefinition(value: unknown): value is ResourceDefinition {
  return typeof value === 'object' && value !== null && 'resource' in value && typeof value.resource === 'string'
}

function transformed(
  resolution: Resolution,
  source: Document<ResourceDefinition>,
  application: ApplicationDefinition,
): Document<ResourceDefinition> {
  let value = source.value
  for (const { plugin, options, transform } of resolution.extensions.transforms) {
    try {
      const changed: unknown = transform(value, options, application)
      if (!isDefinition(changed)) throw new Error('it returned no resource')
      value = changed
    } catch (error) {
      const reason = sentenceOf(error)
      resolution.report(
        'plugin_failed',
        `The plugin "${plugin}" could not change "${value.resource}": ${reason}`,
        source.place(['resource']),
      )
    }
  }
  return { value, place: source.place }
}
