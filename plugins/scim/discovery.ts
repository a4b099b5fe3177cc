/** What a client reads before it begins (RFC 7644, section 4): the configuration, the types of resources and their schemas. */
import { ApiError, type JsonObject, type Reply, type Route, type RouteContext } from '../../engine/index.ts'
import { MOST, placeOf, written } from './answer.ts'
import { GROUP_SCHEMA } from './groups.ts'
import { common } from './route.ts'
import { USER_SCHEMA } from './user.ts'

const CORE = 'urn:ietf:params:scim:schemas:core:2.0'

function configuration(context: RouteContext): Reply {
  return written({
    schemas: [`${CORE}:ServiceProviderConfig`],
    patch: { supported: true },
    bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
    filter: { supported: true, maxResults: MOST },
    changePassword: { supported: true },
    sort: { supported: true },
    etag: { supported: true },
    authenticationSchemes: [
      {
        type: 'oauthbearertoken',
        name: 'Key',
        description: 'A key with the permission scim.use, in the header Authorization after the word Bearer.',
        primary: true,
      },
    ],
    meta: { resourceType: 'ServiceProviderConfig', location: placeOf(context, '/ServiceProviderConfig') },
  })
}

type Part = readonly [name: string, type: string, description: string, more?: JsonObject]

/** An attribute of a schema (RFC 7643, section 7). */
function attribute([name, type, description, more = {}]: Part): JsonObject {
  return {
    name,
    type,
    description,
    multiValued: false,
    required: false,
    ...(type === 'string' && { caseExact: false }),
    mutability: 'readWrite',
    returned: 'default',
    uniqueness: 'none',
    ...more,
  }
}

const READ = { mutability: 'readOnly' } as const

const SCHEMAS: readonly JsonObject[] = [
  {
    id: USER_SCHEMA,
    name: 'User',
    description: 'An account of a person',
    attributes: [
      attribute([
        'userName',
        'string',
        'What the directory calls the account',
        { required: true, uniqueness: 'server' },
      ]),
      attribute([
        'name',
        'complex',
        'The parts of the name',
        {
          subAttributes: [
            attribute(['formatted', 'string', 'The whole name', READ]),
            attribute(['givenName', 'string', 'The first name']),
            attribute(['familyName', 'string', 'The last name']),
          ],
        },
      ]),
      attribute(['displayName', 'string', 'The whole name; that of a new account without a name is made of it', READ]),
      attribute([
        'emails',
        'complex',
        'The address of the account; of several the primary one is kept',
        {
          multiValued: true,
          subAttributes: [
            attribute(['value', 'string', 'The address', { required: true }]),
            attribute(['type', 'string', 'Always work', { canonicalValues: ['work'] }]),
            attribute(['primary', 'boolean', 'Always true']),
          ],
        },
      ]),
      attribute(['active', 'boolean', 'Whether the account may sign in; false ends its sessions and keys at once']),
      attribute([
        'password',
        'string',
        'A password; it is never shown',
        { mutability: 'writeOnly', returned: 'never' },
      ]),
      attribute([
        'groups',
        'complex',
        'The groups that the account is in',
        {
          ...READ,
          multiValued: true,
          subAttributes: [
            attribute(['value', 'string', 'The id of the group', READ]),
            attribute(['display', 'string', 'The name of the group', READ]),
            attribute(['type', 'string', 'Always direct', { ...READ, canonicalValues: ['direct'] }]),
          ],
        },
      ]),
    ],
  },
  {
    id: GROUP_SCHEMA,
    name: 'Group',
    description: 'A group of the directory, which may give a role',
    attributes: [
      attribute(['displayName', 'string', 'The name of the group', { required: true, uniqueness: 'server' }]),
      attribute([
        'members',
        'complex',
        'Who is in the group',
        {
          multiValued: true,
          subAttributes: [
            attribute(['value', 'string', 'The id of the user', { mutability: 'immutable' }]),
            attribute(['display', 'string', 'What the directory calls the user', READ]),
            attribute(['type', 'string', 'Always User', { mutability: 'immutable', canonicalValues: ['User'] }]),
            attribute([
              '$ref',
              'reference',
              'Where the user is',
              { mutability: 'immutable', referenceTypes: ['User'] },
            ]),
          ],
        },
      ]),
    ],
  },
]

function schemas(context: RouteContext): readonly JsonObject[] {
  return SCHEMAS.map((schema) => ({
    schemas: [`${CORE}:Schema`],
    ...schema,
    meta: { resourceType: 'Schema', location: placeOf(context, `/Schemas/${String(schema.id)}`) },
  }))
}

function types(context: RouteContext): readonly JsonObject[] {
  return SCHEMAS.map(({ description, id, name }) => ({
    schemas: [`${CORE}:ResourceType`],
    id: name!,
    name: name!,
    description: description!,
    endpoint: `/${String(name)}s`,
    schema: id!,
    meta: { resourceType: 'ResourceType', location: placeOf(context, `/ResourceTypes/${String(name)}`) },
  }))
}

/** The routes of a list and of each of its parts. */
function listOf(path: string, label: string, all: (context: RouteContext) => readonly JsonObject[]): readonly Route[] {
  return [
    {
      ...common,
      method: 'GET',
      path: `/scim/v2/${path}`,
      summary: `The ${label} of SCIM`,
      handle: async (context) => {
        // Clients may not filter here (RFC 7644, section 4).
        if (context.query.has('filter')) throw new ApiError('forbidden', { message: 'This list takes no filter' })
        const found = all(context)
        return written({
          schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
          totalResults: found.length,
          startIndex: 1,
          itemsPerPage: found.length,
          Resources: found,
        })
      },
    },
    {
      ...common,
      method: 'GET',
      path: `/scim/v2/${path}/{id}`,
      summary: `One of the ${label} of SCIM`,
      handle: async (context) => {
        const one = all(context).find(({ id }) => id === context.params.id)
        if (one === undefined) throw new ApiError('record_not_found', { label: path.slice(0, -1) })
        return written(one)
      },
    },
  ]
}

export const discoveryRoutes: readonly Route[] = [
  {
    ...common,
    method: 'GET',
    path: '/scim/v2/ServiceProviderConfig',
    summary: 'What this server does of SCIM',
    handle: async (context) => configuration(context),
  },
  ...listOf('ResourceTypes', 'types of resources', types),
  ...listOf('Schemas', 'schemas', schemas),
]
