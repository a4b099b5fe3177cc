/** A small shop with accounts of three roles, on which the test kit is tried. */

/** What every such shop has; a test adds `resources/orders.yaml`. */
export const SHOP = {
  'resources/app.yaml': `name: Shop
prefix: /api
plugins: { timestamps: {}, soft_delete: {}, mail: {}, auth: { roles: [admin, clerk, customer] } }
`,
  'resources/roles.yaml': `resource: roles
seeds:
  key: slug
  rows:
    - { slug: admin, name: Admin, permissions: ["*"] }
    - { slug: clerk, name: Clerk, permissions: [orders.pack] }
    - { slug: customer, name: Customer, permissions: [] }
`,
} as const
