-- The demo workspace: people to assign conversations to. Its instance holds sealed credentials, so
-- it is made through admin-api (the Docker-free stack does that at its first start).
insert into messaging.workspaces (id, name)
values ('d0000000-0000-4000-8000-000000000001', 'Demo')
on conflict do nothing;

insert into messaging.departments (id, workspace_id, name)
values ('d0000000-0000-4000-8000-000000000011', 'd0000000-0000-4000-8000-000000000001', 'Vendas')
on conflict do nothing;

insert into messaging.operators (id, workspace_id, name, email)
values
  ('d0000000-0000-4000-8000-000000000021', 'd0000000-0000-4000-8000-000000000001', 'Ana', 'ana@example.com'),
  ('d0000000-0000-4000-8000-000000000022', 'd0000000-0000-4000-8000-000000000001', 'Bruno', 'bruno@example.com')
on conflict do nothing;
