package server

func (s *Server) taskRoutes() { s.reportRoutes() }
