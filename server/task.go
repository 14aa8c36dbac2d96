package server

func (s *Server) taskRoutes() {}
