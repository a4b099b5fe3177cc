/** The rule: the application has the tickets, settings and people that dashboards count. */
import type { Catalog, Diagnostic } from '../../../engine/index.ts'

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  tickets: [
    'status_id',
    'priority_id',
    'department_id',
    'category_id',
    'type_id',
    'user_id',
    'assigned_to',
    'due_date',
    'tags',
    'first_response_at',
    'resolved_at',
    'closed_at',
    'sla_state',
  ],
  statuses: ['name', 'category'],
  priorities: ['name', 'color'],
  departments: ['name'],
  categories: ['name'],
  types: ['name'],
  users: ['first_name', 'last_name'],
  customers: [],
  contacts: [],
}

/** A diagnostic for each resource or field of the figures that the application lacks. */
export function countedResources(catalog: Catalog): readonly Diagnostic[] {
  return Object.entries(REQUIRED).flatMap(([name, fields]): readonly Diagnostic[] => {
    const resource = catalog.resources.get(name)
    const code = 'dashboards/missing'
    if (resource === undefined) {
      return [{ code, message: `The dashboards need a resource "${name}"`, hint: `add resources/${name}.yaml` }]
    }
    const missing = fields.filter((field) => !resource.fields.has(field))
    return missing.map((field) => ({
      code,
      message: `The dashboards need the field "${field}" of "${name}"`,
      span: resource.span,
      hint: 'add it, or leave the plugin dashboards out of app.yaml',
    }))
  })
}
