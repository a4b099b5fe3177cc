/** Rule: the application has the users and roles that accounts are made of. */
import type { Catalog, Diagnostic } from '../../engine/index.ts'

const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  users: [
    'first_name',
    'last_name',
    'email',
    'email_verified',
    'pending_email',
    'password_hash',
    'status',
    'role_id',
    'department_id',
    'organization_id',
  ],
  roles: ['name', 'slug', 'permissions'],
  pending_users: [],
}

/** One diagnostic for each resource or field that the plugin works with and the application lacks. */
export function requiredResources(catalog: Catalog): readonly Diagnostic[] {
  return Object.entries(REQUIRED).flatMap(([name, fields]): readonly Diagnostic[] => {
    const resource = catalog.resources.get(name)
    if (resource === undefined) {
      return [
        {
          code: 'auth/missing_resource',
          message: `The auth plugin needs a resource "${name}"`,
          hint: `add resources/${name}.yaml`,
        },
      ]
    }
    const missing = fields.filter((field) => !resource.fields.has(field))
    return missing.map((field) => ({
      code: 'auth/missing_field',
      message: `The auth plugin needs the field "${field}" of "${name}"`,
      span: resource.span,
      hint: 'add it, or leave the auth plugin out of app.yaml',
    }))
  })
}
